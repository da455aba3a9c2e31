// host/debian/customize-script.ts: the files and commands of a system as the shell script that mmdebstrap runs on the unpacked image.
import type { SystemFile, SystemSettings } from './system-settings.ts';

/** The image's root is the script's first argument. */
export function customizeScript({ files, commands, removed }: Omit<SystemSettings, 'initrdFiles'>): string {
  return [
    installScript(files),
    ...commands.map((argv) => `chroot "$1" ${argv.map(quoted).join(' ')}`),
    // Empty, not gone: systemd then makes one at boot, without taking the boot for the very first one.
    ': >"$1/etc/machine-id"',
    ...removed.map((pattern) => `rm -rf "$1"${pattern}`),
    '',
  ].join('\n');
}

export function installScript(files: readonly SystemFile[]): string {
  return ['set -eu', ...files.map(installOne)].join('\n');
}

function installOne({ path, mode, text }: SystemFile): string {
  if (text.split('\n').includes(END)) throw new Error(`${path} has the line that would end it`);
  const place = `"$1"${quoted(path)}`;
  const folder = `"$1"${quoted(path.slice(0, path.lastIndexOf('/')))}`;
  return `mkdir -p ${folder}\ncat >${place} <<'${END}'\n${text}${END}\nchmod ${mode.toString(8)} ${place}`;
}

const END = 'end-of-headstart-file';

function quoted(word: string): string {
  return `'${word.replaceAll("'", String.raw`'\''`)}'`;
}
