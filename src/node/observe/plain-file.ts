// node/observe/plain-file.ts: the content of a small file that is really one: no link, no device, no pipe, no end of the disk.
import { closeSync, constants, fstatSync, openSync } from 'node:fs';
import { readToEnd } from '../../base/read-to-end.ts';
import { whyUnreadable } from '../../base/why-unreadable.ts';

/** Undefined when it is not there; otherwise throws a sentence. A link is not followed: who made it may not be who may write here. */
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
