import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { lockName } from './lock-name.ts';
import { withLock, withLockIfFree } from './locks.ts';

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'headstart-locks-'));
});
afterEach(() => {
  vi.useRealTimers();
  rmSync(home, { recursive: true });
});

const homeLock = lockName('home');
const lock = { name: homeLock, why: 'testing' };
const HOUR_MS = 3_600_000;

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
    await withLockIfFree(home, lock, async () => {
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
    await withLock(home, lock, {}, () => withLockIfFree(home, lock, work));
    expect(done).toEqual([]);
    await withLockIfFree(home, lock, work);
    expect(done).toEqual(['done']);
  });
});

describe('a command that waits', () => {
  /** What it reports while another one has the lock, and the lock. */
  async function waitFor(held: (work: () => Promise<void>) => Promise<void>, afterMs: number, giveUpAfterMs?: number) {
    const reports = new Set<string>();
    let waiting: Promise<string> | undefined;
    await held(async () => {
      vi.useFakeTimers({ toFake: ['setTimeout', 'setInterval', 'clearTimeout', 'clearInterval'] });
      const onWaiting = (what: string) => void reports.add(what);
      const limit = giveUpAfterMs === undefined ? {} : { giveUpAfterMs };
      waiting = withLock(home, { ...lock, ...limit }, { onWaiting }, async () => 'in');
      waiting.catch(() => {});
      vi.advanceTimersByTime(afterMs);
      vi.useRealTimers();
    });
    return { reports: [...reports], waiting };
  }
  const locked = (work: () => Promise<void>) => withLock(home, { name: homeLock, why: 'building' }, {}, work);

  it.each([
    ['withLock', locked],
    ['withLockIfFree', (work: () => Promise<void>) => withLockIfFree(home, { name: homeLock, why: 'building' }, work)],
  ])('says who has it, and since when: %s', async (_how, held) => {
    await withLock(home, { name: homeLock, why: 'what has ended' }, {}, async () => {});
    const { reports } = await waitFor(held, 10_000);
    expect(reports).toEqual([
      expect.stringMatching(
        new RegExp(
          `^process ${process.pid} \\(building, since \\d{4}-\\d\\d-\\d\\d [0-9:]{8} UTC\\) to finish with home$`,
        ),
      ),
    ]);
  });

  it('gives up after 20 minutes', async () => {
    await expect((await waitFor(locked, HOUR_MS)).waiting).rejects.toThrow('for too long');
  });

  it('waits as long as the lock says', async () => {
    expect(await (await waitFor(locked, HOUR_MS, 2 * HOUR_MS)).waiting).toBe('in');
    expect(await (await waitFor(locked, 10 * HOUR_MS, Number.POSITIVE_INFINITY)).waiting).toBe('in');
    await expect((await waitFor(locked, 3 * HOUR_MS, 2 * HOUR_MS)).waiting).rejects.toThrow('for too long');
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
