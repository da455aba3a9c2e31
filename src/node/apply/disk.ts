// node/apply/disk.ts: how is something written on a node so that no link leads it astray? The only way a transaction writes; every
// folder on the way is opened as what it is, so what somebody puts in its place afterwards does not matter.
import {
  closeSync,
  constants,
  fchmodSync,
  fchownSync,
  fsync,
  mkdirSync,
  openSync,
  renameSync,
  rmdirSync,
  symlinkSync,
  unlinkSync,
  writeSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';

export interface Rights {
  mode: number;
  /** Absent: whoever writes. */
  uid?: number;
  gid?: number;
}

/** Paths are absolute, as the node sees them. All throw what the file system says. What is done is safe only once it is synced. */
export interface NodeDisk {
  /** What was there before goes. Nothing is left of it when it fails. */
  create(path: string, bytes: Uint8Array, rights: Rights): void;
  makeLink(path: string, target: string): void;
  /** One that is there is fine. */
  makeFolder(path: string, mode: number): void;
  /** Within one folder; what was there before goes. */
  rename(from: string, to: string): void;
  /** One that is not there is fine. */
  remove(path: string): void;
  /** One that is not there, or not empty, is fine. */
  removeFolder(path: string): void;
  /** All at once: a disk that is asked together answers together. */
  syncFiles(paths: readonly string[]): Promise<void>;
  /** The names in it. One that is not there any more is fine. */
  syncFolders(paths: readonly string[]): Promise<void>;
  /** Below /proc/sys or /sys, where links are the kernel's own. */
  setKernelValue(path: string, text: string): void;
}

const { O_WRONLY, O_RDONLY, O_CREAT, O_EXCL, O_NOFOLLOW, O_DIRECTORY, O_NONBLOCK, O_TRUNC } = constants;
const sync = promisify(fsync);

/** Below `root`, which is trusted as it is. */
export function systemDisk(root: string): NodeDisk {
  const at = <T>(path: string, use: (path: string) => T): T => inFolder(root, path, use);
  const remove = (path: string) => ignoring(['ENOENT', 'ENOTDIR'], () => at(path, unlinkSync));
  return {
    create(path, bytes, { mode, uid, gid }) {
      remove(path);
      at(path, (place) => {
        // Closed to others until it is whole and belongs to whom it should.
        const fd = openSync(place, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600);
        try {
          for (let written = 0; written < bytes.length; ) written += writeSync(fd, bytes, written);
          if (uid !== undefined && gid !== undefined) fchownSync(fd, uid, gid);
          fchmodSync(fd, mode);
        } catch (error) {
          unlinkSync(place);
          throw error;
        } finally {
          closeSync(fd);
        }
      });
    },
    makeLink(path, target) {
      remove(path);
      at(path, (place) => symlinkSync(target, place));
    },
    makeFolder(path, mode) {
      at(path, (place) => {
        ignoring(['EEXIST'], () => {
          mkdirSync(place, { mode });
          withFolder(place, (fd) => fchmodSync(fd, mode)); // the umask may have taken something away
        });
        withFolder(place, () => {}); // a link or a file in its place is no folder
      });
    },
    rename: (from, to) => at(from, (place) => renameSync(place, join(dirname(place), basename(to)))),
    remove,
    removeFolder: (path) => ignoring(['ENOENT', 'ENOTEMPTY', 'EEXIST', 'ENOTDIR'], () => at(path, rmdirSync)),
    async syncFiles(paths) {
      await Promise.all(paths.map((path) => syncAndClose(at(path, openToSync))));
    },
    async syncFolders(paths) {
      const open = (path: string) => ignoring(['ENOENT'], () => at(`${path}/.`, openFolder));
      await Promise.all(paths.map(open).map((fd) => fd !== undefined && syncAndClose(fd)));
    },
    setKernelValue(path, text) {
      if (path.split('/').includes('..')) throw new Error(`${path} is no kernel setting`);
      const fd = openSync(join(root, path), O_WRONLY | O_TRUNC); // not created: it is there, or there is no such setting
      try {
        writeSync(fd, text);
      } finally {
        closeSync(fd);
      }
    },
  };
}

function openToSync(path: string): number {
  return openSync(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
}

function openFolder(path: string): number {
  return openSync(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
}

async function syncAndClose(fd: number): Promise<void> {
  try {
    await sync(fd);
  } finally {
    closeSync(fd);
  }
}

/** From the root, one folder after the other, each by the descriptor of the one above: no name is looked up twice. */
function inFolder<T>(root: string, path: string, use: (path: string) => T): T {
  const parts = path.split('/').filter(Boolean);
  const name = parts.pop();
  if (name === undefined || name === '..' || parts.includes('..')) throw new Error(`${path} is no place to write`);
  let fd = openSync(root, O_RDONLY | O_DIRECTORY);
  try {
    for (const part of parts) {
      const next = openFolder(`/proc/self/fd/${fd}/${part}`);
      closeSync(fd);
      fd = next;
    }
    return use(`/proc/self/fd/${fd}/${name}`);
  } finally {
    closeSync(fd);
  }
}

function withFolder(path: string, use: (fd: number) => void): void {
  const fd = openFolder(path);
  try {
    use(fd);
  } finally {
    closeSync(fd);
  }
}

function ignoring<T>(codes: readonly string[], act: () => T): T | undefined {
  try {
    return act();
  } catch (error) {
    if (codes.includes((error as NodeJS.ErrnoException).code ?? '')) return undefined;
    throw error;
  }
}
