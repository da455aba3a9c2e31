// base/files.ts: replace a file so that a reader, or a power cut, sees the old one or the new one and nothing between.
import { randomBytes } from 'node:crypto';
import { closeSync, constants, fchmodSync, fsyncSync, openSync, renameSync, unlinkSync, writeSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

/** A link at `path` is replaced, not followed. Throws what the file system says; nothing is left behind then. */
export function writeFileAtomic(path: string, content: string | Uint8Array, mode: number): void {
  const folder = dirname(path);
  const temporary = join(folder, `.${basename(path).slice(0, 200)}.${randomBytes(6).toString('hex')}.tmp`);
  const bytes = typeof content === 'string' ? Buffer.from(content) : content;
  const { O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW } = constants;
  // Created closed to others and opened up only once written: the umask may be wider than `mode`.
  const fd = openSync(temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600);
  try {
    try {
      for (let written = 0; written < bytes.length; ) written += writeSync(fd, bytes, written);
      fchmodSync(fd, mode);
      fsyncSync(fd);
    } finally {
      closeSync(fd);
    }
    renameSync(temporary, path);
  } catch (error) {
    unlinkSync(temporary);
    throw error;
  }
  syncFolder(folder);
}

/** The rename itself is safe on disk only once the folder is. */
function syncFolder(folder: string): void {
  const fd = openSync(folder, constants.O_RDONLY);
  try {
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}
