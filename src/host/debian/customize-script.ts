// host/debian/customize-script.ts: render a system's files and commands as a shell script for mmdebstrap's hooks.
import type { SystemFile, SystemSettings } from './system-settings.ts';

/** The script's first argument is the image's root. */
export function customizeScript({ files, commands, removed }: Omit<SystemSettings, 'initrdFiles'>): string {
  return [
    installScript(files),
    ...commands.map((argv) => `chroot "$1" ${argv.map(quoted).join(' ')}`),
    // Empty, not missing: systemd then generates a machine id at boot without treating it as the first boot.
    ': >"$1/etc/machine-id"',
    ...removed.map((pattern) => `rm -rf "$1"${pattern}`),
    '',
  ].join('\n');
}

export function installScript(files: readonly SystemFile[]): string {
  return ['set -eu', ...files.map(installOne)].join('\n');
}

function installOne({ path, mode, text }: SystemFile): string {
  if (text.split('\n').includes(END)) throw new Error(`${path} contains the here-document's end marker`);
  const place = `"$1"${quoted(path)}`;
  const folder = `"$1"${quoted(path.slice(0, path.lastIndexOf('/')))}`;
  return `mkdir -p ${folder}\ncat >${place} <<'${END}'\n${text}${END}\nchmod ${mode.toString(8)} ${place}`;
}

const END = 'end-of-headstart-file';

function quoted(word: string): string {
  return `'${word.replaceAll("'", String.raw`'\''`)}'`;
}
