// node/apply/disks.testing.ts: faulty disks for tests: one kills the process at a given write, one is full, one loses
// unsynced writes at a power cut.
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import type { NodeDisk } from './disk.ts';

export type Op = keyof NodeDisk;

/** Calls `before` before every write; it may throw instead. */
export function watchedDisk(disk: NodeDisk, before: (op: Op, path: string) => void): NodeDisk {
  const observed =
    <Args extends [string, ...unknown[]], Result>(op: Op, act: (...args: Args) => Result) =>
    (...args: Args): Result => {
      before(op, args[0]);
      return act(...args);
    };
  const observedAll =
    (op: Op, act: (paths: readonly string[]) => Promise<void>) => async (paths: readonly string[]) => {
      if (paths.length > 0) before(op, paths.join(' '));
      await act(paths);
    };
  return {
    create: observed('create', disk.create),
    makeLink: observed('makeLink', disk.makeLink),
    makeFolder: observed('makeFolder', disk.makeFolder),
    rename(from, to) {
      before('rename', to);
      disk.rename(from, to);
    },
    remove: observed('remove', disk.remove),
    removeFolder: observed('removeFolder', disk.removeFolder),
    syncFiles: observedAll('syncFiles', disk.syncFiles),
    syncFolders: observedAll('syncFolders', disk.syncFolders),
    setKernelValue: observed('setKernelValue', disk.setKernelValue),
  };
}

/** Simulates SIGKILL: no later write takes effect, not even one in a `finally`. */
export class Killed extends Error {}

export interface KillSwitch {
  /** Called before every effect. */
  act: () => void;
  isDead: () => boolean;
}

export function killAt(at: number): KillSwitch {
  let count = 0;
  return {
    act() {
      if (++count >= at) throw new Killed();
    },
    isDead: () => count >= at,
  };
}

/** Leaves a file half written if the process dies while creating it. */
export function killingDisk(disk: NodeDisk, kill: KillSwitch): NodeDisk {
  return {
    ...watchedDisk(disk, kill.act),
    create(path, bytes, rights) {
      const wasDead = kill.isDead();
      try {
        kill.act();
      } catch (error) {
        if (!wasDead) disk.create(path, bytes.subarray(0, bytes.length / 2), { mode: 0o600 });
        throw error;
      }
      disk.create(path, bytes, rights);
    },
  };
}

/** From the `at`-th write on, writes that need space fail until `free` is called or the ballast is removed. */
export function fullDisk(disk: NodeDisk, at: number): { disk: NodeDisk; free: () => void; isHit: () => boolean } {
  let [count, isFree] = [0, false];
  const full = watchedDisk(disk, (op, path) => {
    if (op === 'remove' && path.endsWith('/ballast') && count >= at) isFree = true;
    if (op !== 'create' && op !== 'makeLink' && op !== 'makeFolder' && op !== 'syncFiles') return;
    if (++count >= at && !isFree) throw Object.assign(new Error('no space left on device'), { code: 'ENOSPC' });
  });
  return {
    disk: full,
    isHit: () => count >= at,
    free: () => {
      isFree = true;
    },
  };
}

type Entry =
  | { kind: 'absent' }
  | { kind: 'folder' }
  | { kind: 'link'; target: string }
  | { kind: 'file'; bytes: Buffer; mode: number };

/**
 * Tracks unsynced file contents and folder entries and loses some of them at a power cut. Within one folder, changes keep their order, as on a
 * journaling file system; changes in different folders do not.
 */
export function forgetfulDisk(
  disk: NodeDisk,
  root: string,
): { disk: NodeDisk; cut: (pick: (below: number) => number) => void } {
  const dirty = new Set<string>();
  const pending: { folder: string; entries: [string, Entry][] }[] = [];
  const note = (...paths: string[]) => {
    pending.push({ folder: dirname(paths[0]!), entries: paths.map((path) => [path, entryAt(join(root, path))]) });
  };
  return {
    disk: {
      ...disk,
      create(path, ...rest) {
        note(path);
        disk.create(path, ...rest);
        dirty.add(path);
      },
      makeLink(path, target) {
        note(path);
        disk.makeLink(path, target);
      },
      makeFolder(path, mode) {
        if (entryAt(join(root, path)).kind === 'absent') note(path);
        disk.makeFolder(path, mode);
      },
      rename(from, to) {
        note(from, to);
        disk.rename(from, to);
        if (dirty.delete(from)) dirty.add(to);
        else dirty.delete(to);
      },
      remove(path) {
        note(path);
        disk.remove(path);
        dirty.delete(path);
      },
      removeFolder(path) {
        note(path);
        disk.removeFolder(path);
      },
      async syncFiles(paths) {
        await disk.syncFiles(paths);
        for (const path of paths) dirty.delete(path);
      },
      async syncFolders(paths) {
        await disk.syncFolders(paths);
        for (let i = pending.length - 1; i >= 0; i--) if (paths.includes(pending[i]!.folder)) pending.splice(i, 1);
      },
    },
    cut(pick) {
      const kept = new Map<string, number>();
      for (const { folder } of pending) kept.set(folder, (kept.get(folder) ?? 0) + 1);
      for (const [folder, count] of kept) kept.set(folder, pick(count + 1));
      const lost = pending.filter(({ folder }) => {
        const left = kept.get(folder)!;
        kept.set(folder, left - 1);
        return left <= 0;
      });
      for (const path of dirty) {
        const place = join(root, path);
        const entry = entryAt(place);
        if (entry.kind === 'file') truncateSync(place, pick(entry.bytes.length + 1));
      }
      for (const { entries } of lost.reverse()) for (const [path, entry] of entries) putBack(join(root, path), entry);
      pending.length = 0;
      dirty.clear();
    },
  };
}

function entryAt(path: string): Entry {
  try {
    const stat = lstatSync(path);
    if (stat.isSymbolicLink()) return { kind: 'link', target: readlinkSync(path) };
    if (stat.isDirectory()) return { kind: 'folder' };
    return { kind: 'file', bytes: readFileSync(path), mode: stat.mode & 0o7777 };
  } catch {
    return { kind: 'absent' };
  }
}

function putBack(path: string, entry: Entry): void {
  if (entryAt(dirname(path)).kind === 'absent') return; // its folder was lost
  rmSync(path, { recursive: entry.kind === 'absent', force: true });
  if (entry.kind === 'folder') mkdirSync(path, { recursive: true });
  if (entry.kind === 'link') symlinkSync(entry.target, path);
  if (entry.kind !== 'file') return;
  writeFileSync(path, entry.bytes);
  chmodSync(path, entry.mode);
}
