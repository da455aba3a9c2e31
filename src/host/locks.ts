// host/locks.ts: only one command at a time changes a thing. The kernel lets go when the holder dies, kill -9 included.

import { spawn } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
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
  /** What the holder does, for whoever waits. */
  why: string;
}

/** `home`: the folder that the lock protects something in. A domain with several locks takes them in one order. */
export async function withLock<T>(
  home: string,
  { name, why }: Lock,
  options: CallOptions | undefined,
  work: () => Promise<T>,
): Promise<T> {
  const path = lockPath(home, name);
  const held = await acquire(path, name, options);
  try {
    writeHolder(path, why);
    return await work();
  } finally {
    await held.release();
  }
}

/** Does nothing when somebody holds it. */
export async function withLockIfFree(home: string, name: LockName, work: () => Promise<void>): Promise<void> {
  const held = startFlock(lockPath(home, name), ['--nonblock']);
  try {
    if (await held.isHeld) await work();
  } finally {
    await held.release();
  }
}

async function acquire(path: string, name: string, { signal, onWaiting }: CallOptions = {}): Promise<LockHandle> {
  signal?.throwIfAborted();
  const held = startFlock(path, []);
  const timers: NodeJS.Timeout[] = [];
  const enough = new Promise<never>((_, reject) => {
    const tooLong = () => reject(new Conflict(`${name} has been in use by ${holderOf(path)} for too long`));
    timers.push(setTimeout(tooLong, GIVE_UP_AFTER_MS));
    timers.push(setInterval(() => onWaiting?.(`${holderOf(path)} to finish with ${name}`), TELL_EVERY_MS));
    signal?.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
  enough.catch(() => {}); // it may come when nobody waits any more
  try {
    if (await Promise.race([held.isHeld, enough])) return held;
    throw new UserError(`${path} cannot be locked`, { code: 'vms/no-lock', exitCode: 1 });
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

/** flock(1) runs `cat` once it has the lock, so an echo is the proof; `cat` ends, and the lock with it, when our end of its input closes. */
function startFlock(path: string, flags: string[]): LockHandle {
  const child = spawn('flock', ['--exclusive', ...flags, path, 'cat'], {
    stdio: ['pipe', 'pipe', 'ignore'],
    // A Ctrl-C reaches the whole foreground group; the lock has to outlive our cleaning up.
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
  child.stdin.on('error', () => {}); // ended before it read: `isHeld` tells
  child.stdin.write('.');
  return {
    isHeld,
    async release() {
      child.stdin.end();
      // Still waiting for the lock: there is no `cat` yet that could see the end of its input.
      child.kill('SIGTERM');
      await ended;
    },
  };
}

function lockPath(home: string, name: LockName): string {
  // Never removed: a lock on a file that is gone keeps nobody out.
  const folder = join(home, 'locks');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  return join(folder, name);
}

/** For people who wait, not for deciding: the lock is the kernel's, and it holds without a word on a full disk, too. */
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
    return pid ? `process ${pid} (${why})` : 'another command';
  } catch {
    return 'another command';
  }
}
