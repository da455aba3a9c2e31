// host/install-command.ts: which command installs these packages on Debian and Ubuntu? Pure.

export function installCommand(packages: readonly string[]): [string, ...string[]] {
  return ['apt-get', 'install', '--yes', '--no-install-recommends', ...new Set([...packages].sort())];
}
