// node/observe/host-reader.ts: how is a node read? The interface that `observeNode` uses, and its implementation on a disk, below `root` so that tests can
// use a folder.
import {
  closeSync,
  constants,
  lstatSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  type Stats,
} from 'node:fs';
import { join } from 'node:path';
import type { RunCommand } from '../../base/command.ts';
import { readToEnd } from '../../base/read-to-end.ts';
import { toBytes } from '../desired/bytes.ts';
import type { ObservedPath } from '../desired/tree.ts';

export interface HostReader {
  /** Follows no link, not even in a parent folder. */
  at(path: string, isSecret: boolean): ObservedPath;
  isFolder(path: string): boolean;
  /** Names in a folder; empty if it does not exist. */
  names(path: string): string[];
  /** For files of the kernel and of kubelet; follows links. Undefined if it cannot be read. */
  text(path: string): string | undefined;
  /** Size of a plain file in bytes. */
  size(path: string): number | undefined;
  run: RunCommand;
}

/** Larger than any file of ours. Replacing a larger file would mean saving a large copy for the restore. */
const MAX_BYTES = 1 << 20;

export function createHostReader(root: string, run: RunCommand): HostReader {
  return {
    run,
    at: (path, isSecret) => readPath(root, path, isSecret),
    isFolder: (path) => blockedParent(root, path) === undefined && statOf(join(root, path))?.isDirectory() === true,
    names(path) {
      try {
        return readdirSync(join(root, path)).sort();
      } catch (error) {
        if (isNotThere(error)) return [];
        throw error;
      }
    },
    text(path) {
      try {
        return readFileSync(join(root, path), 'utf8');
      } catch {
        return undefined; // the kernel returns EIO or EPERM for some files; missing and unreadable are treated the same
      }
    },
    size(path) {
      const stat = statOf(join(root, path));
      return stat?.isFile() ? stat.size : undefined;
    },
  };
}

function readPath(root: string, path: string, isSecret: boolean): ObservedPath {
  const link = blockedParent(root, path);
  if (link !== undefined) return { kind: 'unreachable', at: link };
  const stat = statOf(join(root, path));
  if (stat === undefined) return { kind: 'absent' };
  if (stat.isSymbolicLink()) return { kind: 'link', target: readlinkSync(join(root, path)) };
  if (!stat.isFile()) return { kind: 'other', what: stat.isDirectory() ? 'a folder' : 'not a plain file' };
  if (stat.size > MAX_BYTES) return { kind: 'other', what: `a file of ${stat.size} bytes` };
  const fd = openSync(join(root, path), constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    const bytes = toBytes(readToEnd(fd, MAX_BYTES), isSecret);
    return { kind: 'file', ...bytes, mode: stat.mode & 0o7777, uid: stat.uid, gid: stat.gid };
  } finally {
    closeSync(fd);
  }
}

/** The first parent of the path that exists and is not a folder. */
function blockedParent(root: string, path: string): string | undefined {
  const parts = path.split('/').filter(Boolean);
  for (let depth = 1; depth < parts.length; depth++) {
    const folder = `/${parts.slice(0, depth).join('/')}`;
    const stat = statOf(join(root, folder));
    if (stat === undefined) return undefined;
    if (!stat.isDirectory()) return folder;
  }
  return undefined;
}

function statOf(path: string): Stats | undefined {
  try {
    return lstatSync(path);
  } catch (error) {
    if (isNotThere(error)) return undefined;
    throw error;
  }
}

function isNotThere(error: unknown): boolean {
  const code = (error as NodeJS.ErrnoException).code;
  return code === 'ENOENT' || code === 'ENOTDIR';
}
