// boot/keep/record-unit.ts: the systemd service and timer that save a record of every boot: their files, and how to install them.
import { lstatSync, mkdirSync, rmSync, symlinkSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { UserError } from '../../base/errors.ts';
import { writeFileAtomic } from '../../base/files.ts';
import { ownText } from '../../base/own-files/own-files.ts';

export interface RecordUnitFile {
  path: string;
  text: string;
}

export interface RecordUnit {
  files: RecordUnitFile[];
  /** The link that `systemctl enable` would create. */
  link: { path: string; target: string };
}

const FOLDER = '/etc/systemd/system';
export const TIMER = 'headstart-boot-record.timer';
export const SERVICE = 'headstart-boot-record.service';

/** `root` is empty for this machine, or the root folder of an image. */
export function recordUnit({ launcher, keep, root }: { launcher: string; keep: number; root: string }): RecordUnit {
  const service = unitText(SERVICE).replace('@LAUNCHER@', execPath(launcher)).replace('@KEEP@', String(keep));
  const at = (name: string) => join(root || '/', FOLDER, name);
  return {
    files: [
      { path: at(SERVICE), text: service },
      { path: at(TIMER), text: unitText(TIMER) },
    ],
    link: { path: at(`timers.target.wants/${TIMER}`), target: `../${TIMER}` },
  };
}

/** Idempotent. */
export function ensureInstalled({ files, link }: RecordUnit): void {
  explained(() => {
    mkdirSync(dirname(link.path), { recursive: true });
    for (const { path, text } of files) writeFileAtomic(path, text, 0o644);
    if (!exists(link.path)) symlinkSync(link.target, link.path);
  });
}

/** Returns the deleted paths. Keeps the records. */
export function ensureUninstalled({ files, link }: RecordUnit): string[] {
  const existing = [link.path, ...files.map((file) => file.path)].filter(exists);
  explained(() => {
    for (const path of existing) rmSync(path);
  });
  return existing;
}

function unitText(name: string): string {
  return ownText(new URL(`./units/${name}`, import.meta.url));
}

/** systemd expands `%` and `$` and splits at blanks: refuse a path that quotes alone cannot protect. */
function execPath(launcher: string): string {
  if (/^\/[\w./@+,:-]+$/.test(launcher)) return launcher;
  if (/^\/[\w./@+,: -]+$/.test(launcher)) return `"${launcher}"`;
  throw new UserError(`${JSON.stringify(launcher)} cannot be used in a systemd unit`, {
    code: 'boot/bad-launcher',
    next: 'pass --launcher with an absolute path of letters, digits and ./_-@+,:',
  });
}

/** The unit has its own empty /tmp and /var/tmp, so a program there would not start at any boot. */
export function refuseHiddenLauncher(launcher: string): void {
  const path = normalize(launcher);
  if (!/^\/(?:var\/)?tmp\//.test(path)) return;
  throw new UserError(`${path} is in a temporary folder, which the unit does not see (PrivateTmp=yes)`, {
    code: 'boot/bad-launcher',
    kept: 'Nothing was written.',
    next: 'put headstart elsewhere, for example into /opt, or name another one with --launcher',
  });
}

function exists(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}

function explained(change: () => void): void {
  try {
    change();
  } catch (error) {
    throw new UserError(`cannot change ${FOLDER}: ${(error as Error).message}`, {
      code: 'boot/install-failed',
      next: 'run this again as root, for example with sudo',
      exitCode: 1,
      cause: error,
    });
  }
}
