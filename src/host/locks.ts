// host/locks.ts: locks between commands. The kernel releases a lock when its holder dies, even by kill -9.

import { spawn } from 'node:child_process';
import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { CallOptions } from '../base/call-options.ts';
import { UserError } from '../base/errors.ts';
import { Conflict } from '../base/failures.ts';
import { isFull } from './json-file.ts';
import type { LockName } from './lock-name.ts';
import { missingProgram } from './run-tool.ts';

const TELL_EVERY_MS = 2_000;
const GIVE_UP_AFTER_MS = 20 * 60_000;

export interface Lock {
  name: LockName;
  /** What the holder does; shown to commands that wait. */
  why: string;
  /** How long a command waits for it. Default: 20 minutes; Infinity: until its holder is done. */
  giveUpAfterMs?: number;
}

/** `home`: the folder that contains what the lock protects. Callers with several locks must take them in a fixed order. */
export async function withLock<T>(
  home: string,
  lock: Lock,
  options: CallOptions | undefined,
  work: () => Promise<T>,
): Promise<T> {
  const path = lockPath(home, lock.name);
  const held = await acquire(path, lock, options);
  try {
    writeHolder(path, lock.why);
    return await work();
  } finally {
    await held.release();
  }
}

/** Does nothing when another process holds the lock. */
export async function withLockIfFree(home: string, { name, why }: Lock, work: () => Promise<void>): Promise<void> {
  const path = lockPath(home, name);
  const held = startFlock(path, ['--nonblock']);
  try {
    if (!(await held.isHeld)) return;
    writeHolder(path, why);
    await work();
  } finally {
    await held.release();
  }
}

async function acquire(
  path: string,
  { name, giveUpAfterMs = GIVE_UP_AFTER_MS }: Lock,
  { signal, onWaiting }: CallOptions = {},
): Promise<LockHandle> {
  signal?.throwIfAborted();
  const held = startFlock(path, []);
  const timers: NodeJS.Timeout[] = [];
  const enough = new Promise<never>((_, reject) => {
    const tooLong = () => reject(new Conflict(`${name} has been locked by ${holderOf(path)} for too long`));
    if (Number.isFinite(giveUpAfterMs)) timers.push(setTimeout(tooLong, giveUpAfterMs));
    timers.push(setInterval(() => onWaiting?.(`${holderOf(path)} to finish with ${name}`), TELL_EVERY_MS));
    signal?.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
  enough.catch(() => {}); // it may reject after the race is over
  try {
    if (await Promise.race([held.isHeld, enough])) return held;
    throw new UserError(`could not lock ${path}`, { code: 'vms/no-lock', exitCode: 1 });
  } catch (error) {
    await held.release();
    throw error;
  } finally {
    for (const timer of timers) clearTimeout(timer);
  }
}

interface LockHandle {
  isHeld: Promise<boolean>;
  release(): Promise<void>;
}

/** flock(1) runs `cat` once it has the lock, so an echo proves it. `cat` exits, and releases the lock, when we close its input. */
function startFlock(path: string, flags: string[]): LockHandle {
  const child = spawn('flock', ['--exclusive', ...flags, path, 'cat'], {
    stdio: ['pipe', 'pipe', 'ignore'],
    // Ctrl-C reaches the whole foreground process group, but the lock must be held until we have cleaned up.
    detached: true,
  });
  const ended = new Promise<void>((resolve) => {
    child.on('close', () => resolve());
    child.on('error', () => resolve());
  });
  const isHeld = new Promise<boolean>((resolve, reject) => {
    child.stdout.once('data', () => resolve(true));
    child.on('close', () => resolve(false));
    child.on('error', (cause) => reject(missingProgram('flock', cause)));
  });
  child.stdin.on('error', () => {}); // it exited before reading: see `isHeld`
  child.stdin.write('.');
  return {
    isHeld,
    async release() {
      child.stdin.end();
      // While flock still waits, there is no `cat` yet to see the end of its input.
      child.kill('SIGTERM');
      await ended;
    },
  };
}

function lockPath(home: string, name: LockName): string {
  // Never deleted: a lock on a deleted file excludes no one.
  const folder = join(home, 'locks');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  return join(folder, name);
}

/** Only for messages. The kernel holds the lock, so a full disk does not matter. */
function writeHolder(path: string, why: string): void {
  try {
    writeFileSync(path, `${process.pid} ${why}\n`);
  } catch (error) {
    if (!isFull(error)) throw error;
  }
}

function holderOf(path: string): string {
  try {
    const [, pid, why] = /^(\d+) (.*)$/m.exec(readFileSync(path, 'utf8')) ?? [];
    // The holder writes the file when it gets the lock; flock(1) does not change it.
    const since = statSync(path).mtime.toISOString().slice(0, 19).replace('T', ' ');
    return pid ? `process ${pid} (${why}, since ${since} UTC)` : 'another command';
  } catch {
    return 'another command';
  }
}
