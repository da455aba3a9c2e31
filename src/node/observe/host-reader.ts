// node/observe/host-reader.ts: how is a node looked at? The questions `observe` asks, and the edge that answers them on a disk; below `root`, so that a
// folder can stand in for a node.
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
  /** What is at this very path; no link is followed, not even on the way. */
  at(path: string, isSecret: boolean): ObservedPath;
  isFolder(path: string): boolean;
  /** Names in a folder; none when there is no folder. */
  names(path: string): string[];
  /** Text that the kernel or kubelet keeps there; their own links are theirs to make. Undefined when it cannot be read. */
  text(path: string): string | undefined;
  /** Of a plain file, in bytes. */
  size(path: string): number | undefined;
  run: RunCommand;
}

/** Larger than anything of ours: replacing it would mean keeping a copy for the way back. */
const MAX_BYTES = 1 << 20;

export function createHostReader(root: string, run: RunCommand): HostReader {
  return {
    run,
    at: (path, isSecret) => readPath(root, path, isSecret),
    isFolder: (path) => linkOnTheWay(root, path) === undefined && statOf(join(root, path))?.isDirectory() === true,
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
        return undefined; // the kernel answers some with EIO or EPERM; not there and not readable are the same to us
      }
    },
    size(path) {
      const stat = statOf(join(root, path));
      return stat?.isFile() ? stat.size : undefined;
    },
  };
}

function readPath(root: string, path: string, isSecret: boolean): ObservedPath {
  const link = linkOnTheWay(root, path);
  if (link !== undefined) return { kind: 'unreachable', at: link };
  const stat = statOf(join(root, path));
  if (stat === undefined) return { kind: 'absent' };
  if (stat.isSymbolicLink()) return { kind: 'link', target: readlinkSync(join(root, path)) };
  if (!stat.isFile()) return { kind: 'other', what: stat.isDirectory() ? 'a folder' : 'no plain file' };
  if (stat.size > MAX_BYTES) return { kind: 'other', what: `a file of ${stat.size} bytes` };
  const fd = openSync(join(root, path), constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    const bytes = toBytes(readToEnd(fd, MAX_BYTES), isSecret);
    return { kind: 'file', ...bytes, mode: stat.mode & 0o7777, uid: stat.uid, gid: stat.gid };
  } finally {
    closeSync(fd);
  }
}

/** The first part of the path, its last aside, that is there and no folder. */
function linkOnTheWay(root: string, path: string): string | undefined {
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
