import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { lockName } from './lock-name.ts';
import { withLock, withLockIfFree } from './locks.ts';

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'headstart-locks-'));
});
afterEach(() => rmSync(home, { recursive: true }));

const homeLock = lockName('home');
const lock = { name: homeLock, why: 'testing' };

describe('lockName', () => {
  it.each(['', '.', '..', '.hidden', 'a/b', '/etc', 'a\0b', 'a b'])(
    'refuses %j, which is not a file directly in the lock folder',
    (name) => {
      expect(() => lockName(name)).toThrow('is not a valid lock name');
    },
  );
});

describe('withLock', () => {
  it('admits one holder at a time', async () => {
    let inside = 0;
    let most = 0;
    const enter = () =>
      withLock(home, lock, {}, async () => {
        most = Math.max(most, ++inside);
        await new Promise(setImmediate);
        inside--;
      });
    await Promise.all(Array.from({ length: 8 }, enter));
    expect(most).toBe(1);
  });

  it('releases the lock when the work fails', async () => {
    const failure = new Error('no');
    await expect(withLock(home, lock, {}, () => Promise.reject(failure))).rejects.toBe(failure);
    expect(await withLock(home, lock, {}, async () => 'in')).toBe('in');
  });

  it('does not block other locks', async () => {
    const other = { name: lockName('pool-web'), why: 'testing' };
    expect(await withLock(home, lock, {}, () => withLock(home, other, {}, async () => 'in'))).toBe('in');
  });

  it('stops waiting when aborted, and does not affect the holder', async () => {
    const stop = new AbortController();
    await withLock(home, lock, {}, async () => {
      const waiting = withLock(home, lock, { signal: stop.signal }, async () => 'in');
      stop.abort(new Error('enough'));
      await expect(waiting).rejects.toThrow('enough');
    });
    await expect(withLock(home, lock, { signal: stop.signal }, async () => 'in')).rejects.toThrow('enough');
    expect(await withLock(home, lock, {}, async () => 'in')).toBe('in');
  });

  it('is free again when its holder is killed', async () => {
    const holder = holdElsewhere();
    await once(holder.stdout, 'data');
    let wasHeld = true;
    await withLockIfFree(home, homeLock, async () => {
      wasHeld = false;
    });
    expect(wasHeld).toBe(true);
    const next = withLock(home, lock, {}, async () => 'in');
    holder.kill('SIGKILL');
    expect(await next).toBe('in');
  });
});

describe('withLockIfFree', () => {
  it('runs the work when the lock is free, and skips it when it is held', async () => {
    const done: string[] = [];
    const work = async () => void done.push('done');
    await withLock(home, lock, {}, () => withLockIfFree(home, homeLock, work));
    expect(done).toEqual([]);
    await withLockIfFree(home, homeLock, work);
    expect(done).toEqual(['done']);
  });
});

function holdElsewhere() {
  const module = fileURLToPath(new URL('./locks.ts', import.meta.url));
  const script = `
    const { withLock } = await import(${JSON.stringify(module)});
    await withLock(${JSON.stringify(home)}, { name: 'home', why: 'holding' }, {}, () => {
      console.log('held');
      return new Promise(() => setInterval(() => {}, 1000));
    });`;
  return spawn(process.execPath, ['--input-type=module', '-e', script], { stdio: ['ignore', 'pipe', 'inherit'] });
}
