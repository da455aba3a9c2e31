// base/files.ts: replaces a file atomically: readers, also after a power loss, see the old or the new content, never a mix.
import { randomBytes } from 'node:crypto';
import { closeSync, constants, fchmodSync, fsyncSync, openSync, renameSync, rmSync, writeSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

/** Replaces a symbolic link at `path`, does not follow it. On failure throws the system error and removes the temporary file. */
export function writeFileAtomic(path: string, content: string | Uint8Array, mode: number): void {
  const folder = dirname(path);
  const temporary = join(folder, `.${basename(path).slice(0, 200)}.${randomBytes(6).toString('hex')}.tmp`);
  const bytes = typeof content === 'string' ? Buffer.from(content) : content;
  const { O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW } = constants;
  // Created with 0600 and chmodded after writing, because the umask may allow more than `mode`.
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
    rmSync(temporary, { force: true }); // if it is gone, the first error says more
    throw error;
  }
  syncFolder(folder);
}

/** A rename survives a power loss only after an fsync of the folder. */
function syncFolder(folder: string): void {
  const fd = openSync(folder, constants.O_RDONLY);
  try {
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}
