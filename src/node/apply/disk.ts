// node/apply/disk.ts: how does a transaction write to a node without following symbolic links? Every folder of a path
// is opened by descriptor, so replacing a folder by a link during the write has no effect. All writes of a transaction
// go through here.
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
  /** Absent: the user of this process. */
  uid?: number;
  gid?: number;
}

/** Paths are absolute paths of the node. All methods throw the errors of the file system. A write is durable only once it is synced. */
export interface NodeDisk {
  /** Replaces an existing file. Leaves no partial file when it fails. */
  create(path: string, bytes: Uint8Array, rights: Rights): void;
  makeLink(path: string, target: string): void;
  /** The folder may exist. */
  makeFolder(path: string, mode: number): void;
  /** Within one folder; replaces an existing file. */
  rename(from: string, to: string): void;
  /** The file may be absent. */
  remove(path: string): void;
  /** Does nothing if the folder is absent or not empty. */
  removeFolder(path: string): void;
  /** In parallel, which is faster than one sync after the other. */
  syncFiles(paths: readonly string[]): Promise<void>;
  /** Makes renames and deletions durable. A folder may be absent. */
  syncFolders(paths: readonly string[]): Promise<void>;
  /** Below /proc/sys or /sys; follows links, because only the kernel makes links there. */
  setKernelValue(path: string, text: string): void;
}

const { O_WRONLY, O_RDONLY, O_CREAT, O_EXCL, O_NOFOLLOW, O_DIRECTORY, O_NONBLOCK, O_TRUNC } = constants;
const sync = promisify(fsync);

/** Links in `root` itself are followed. */
export function systemDisk(root: string): NodeDisk {
  const at = <T>(path: string, use: (path: string) => T): T => inFolder(root, path, use);
  const remove = (path: string) => ignoring(['ENOENT', 'ENOTDIR'], () => at(path, unlinkSync));
  return {
    create(path, bytes, { mode, uid, gid }) {
      remove(path);
      at(path, (place) => {
        // Not readable by others until the content and the owner are set.
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
          withFolder(place, (fd) => fchmodSync(fd, mode)); // the umask may have removed bits
        });
        withFolder(place, () => {}); // fails if the path is a link or a file
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
      if (path.split('/').includes('..')) throw new Error(`${path} is not a kernel setting`);
      const fd = openSync(join(root, path), O_WRONLY | O_TRUNC); // no O_CREAT: an absent file means that the kernel lacks the setting
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

/** Opens one folder after the other from the root, each through the descriptor of its parent, so that no name is resolved twice. */
function inFolder<T>(root: string, path: string, use: (path: string) => T): T {
  const parts = path.split('/').filter(Boolean);
  const name = parts.pop();
  if (name === undefined || name === '..' || parts.includes('..'))
    throw new Error(`cannot write to ${path}: not a path of a file below the root`);
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
