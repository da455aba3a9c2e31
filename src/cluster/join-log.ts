// cluster/join-log.ts: the join events of a node, stored with its VM: one line per event, written as it happens.
import { closeSync, constants, fstatSync, openSync, readSync, writeSync } from 'node:fs';
import { writeFileAtomic } from '../base/files.ts';
import { JOIN_EVENTS, type JoinEvent, type JoinEventName } from './kubernetes/join-events.ts';

const FILE_LIMIT = 1 << 20;
const { O_RDONLY, O_RDWR, O_APPEND, O_NOFOLLOW, O_NONBLOCK } = constants;

/**
 * For the start at `startedMs`: drops events of earlier starts, keeps events of this start and does not write them twice. The
 * returned function writes at once. It returns false if the file or the disk is full, because a log must not fail a node.
 */
export function openJoinLog(path: string, startedMs: number): (event: JoinEvent) => boolean {
  const known = readIfOurs(path).filter(({ atMs, errorMs = 0 }) => atMs + errorMs >= startedMs);
  const noted = new Set(known.map(identityOf));
  const isBegun = unlessFull(() => {
    writeFileAtomic(path, known.map((event) => `${JSON.stringify(event)}\n`).join(''), 0o600);
    return true;
  });
  return (event) => {
    if (!isBegun) return false;
    if (noted.has(identityOf(event))) return true;
    noted.add(identityOf(event));
    return unlessFull(() => appendLine(path, JSON.stringify(event)));
  };
}

function unlessFull(write: () => boolean): boolean {
  try {
    return write();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOSPC' || code === 'EDQUOT') return false;
    throw error;
  }
}

const identityOf = ({ event, name, uid }: JoinEvent) => JSON.stringify([event, name, uid]);

/** A symbolic link is not our file and is replaced. */
function readIfOurs(path: string): JoinEvent[] {
  try {
    return readJoinLog(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ELOOP') return [];
    throw error;
  }
}

function appendLine(path: string, line: string): boolean {
  const fd = openSync(path, O_RDWR | O_APPEND | O_NOFOLLOW | O_NONBLOCK);
  try {
    const { size } = fstatSync(fd);
    if (size + line.length > FILE_LIMIT) return false;
    const last = Buffer.alloc(1);
    const isTorn = size > 0 && readSync(fd, last, 0, 1, size - 1) === 1 && last.toString() !== '\n'; // the disk was full
    const bytes = Buffer.from(`${isTorn ? '\n' : ''}${line}\n`);
    for (let written = 0; written < bytes.length; ) written += writeSync(fd, bytes, written);
    return true;
  } finally {
    closeSync(fd);
  }
}

/** In the order of writing; empty if there is no file. Skips torn lines and lines that are not events. */
export function readJoinLog(path: string): JoinEvent[] {
  return readBounded(path)
    .split('\n')
    .flatMap((line) => parseLine(line) ?? []);
}

function readBounded(path: string): string {
  let fd: number;
  try {
    fd = openSync(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return '';
    throw error;
  }
  try {
    if (!fstatSync(fd).isFile()) return '';
    const bytes = Buffer.alloc(FILE_LIMIT + (64 << 10));
    let length = 0;
    for (let read = -1; read !== 0 && length < bytes.length; length += read) {
      read = readSync(fd, bytes, length, bytes.length - length, length);
    }
    return bytes.toString('utf8', 0, length);
  } finally {
    closeSync(fd);
  }
}

function parseLine(line: string): JoinEvent | undefined {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return undefined;
  }
  if (typeof value !== 'object' || value === null) return undefined;
  const { atMs, errorMs, event, name, uid, detail } = value as Record<string, unknown>;
  if (typeof atMs !== 'number' || !isJoinEvent(event) || typeof name !== 'string') return undefined;
  return {
    atMs,
    ...(typeof errorMs === 'number' && { errorMs }),
    event,
    name,
    ...(typeof uid === 'string' && { uid }),
    ...(typeof detail === 'string' && { detail }),
  };
}

function isJoinEvent(value: unknown): value is JoinEventName {
  return JOIN_EVENTS.some((name) => name === value);
}
