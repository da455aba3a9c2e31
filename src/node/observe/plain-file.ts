// node/observe/plain-file.ts: how is a small regular file read safely? Not a link, not a device, not a pipe, not larger than a limit.
import { closeSync, constants, fstatSync, openSync } from 'node:fs';
import { readToEnd } from '../../base/read-to-end.ts';
import { whyUnreadable } from '../../base/why-unreadable.ts';

/** Undefined if the file does not exist. Throws if it is not a plain file; a link is not followed, because another user may have made it. */
export function readPlainFile(path: string, maxBytes: number): Uint8Array | undefined {
  let fd: number | undefined;
  try {
    fd = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    if (!fstatSync(fd).isFile()) throw new Error('it is not a file');
    return readToEnd(fd, maxBytes);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw new Error(`${path} cannot be read: ${code === 'ELOOP' ? 'it is a link' : whyUnreadable(error)}`, {
      cause: error,
    });
  } finally {
    if (fd !== undefined) closeSync(fd);
  }
}
