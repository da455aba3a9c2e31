import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { LeaseHeld } from './lease-held.ts';
import { LockFiles } from './lock-file.ts';

const base = mkdtempSync(join(tmpdir(), 'headstart-lock-file-'));
afterAll(() => rmSync(base, { recursive: true }));
const emptyFolder = () => mkdtempSync(join(base, 'pool-'));

describe('a lock file', () => {
  const hold = { holder: 'run-1', note: 'n', durationMs: 10_000 };

  it('left empty by a run that died while taking it is free after a minute', () => {
    const folder = emptyFolder();
    const locks = new LockFiles(folder);
    writeFileSync(join(folder, 'pool.1.lock'), '');
    const nowMs = statSync(join(folder, 'pool.1.lock')).mtimeMs;
    expect(() => locks.hold('pool', hold, nowMs + 59_000)).toThrow(LeaseHeld);
    locks.hold('pool', hold, nowMs + 61_000);
    expect(readdirSync(folder)).toEqual(['pool.2.lock']);
  });

  it('of a dead process is free at once, but not that of a process that is not visible', () => {
    const mark = { pid: 4711, startTicks: '1', bootId: 'b', pidNamespace: 'pid:[1]' };
    for (const [isGone, isFree] of [
      [true, true],
      [false, false],
    ] as const) {
      const folder = emptyFolder();
      new LockFiles(folder, { own: () => mark, isGone: () => false }).hold('pool', hold, 0);
      const next = new LockFiles(folder, { own: () => undefined, isGone: (seen) => isGone && seen.pid === 4711 });
      const taking = () => next.hold('pool', { ...hold, holder: 'run-2' }, 1);
      if (isFree) taking();
      else expect(taking).toThrow(LeaseHeld);
      expect(next.read('pool')?.holder).toBe(isFree ? 'run-2' : 'run-1');
    }
  });

  it('is not recreated by the heartbeat of a process that lost it', () => {
    const folder = emptyFolder();
    const locks = new LockFiles(folder);
    locks.hold('pool', hold, 0);
    locks.hold('pool', { ...hold, holder: 'run-2' }, 20_000);
    expect(() => locks.hold('pool', hold, 20_001)).toThrow(LeaseHeld);
    locks.release('pool', 'run-1');
    expect(readdirSync(folder)).toEqual(['pool.2.lock']);
    locks.release('pool', 'run-2');
    expect(readdirSync(folder)).toEqual([]);
  });

  it('stays readable when a shorter note replaces a longer one', () => {
    const folder = emptyFolder();
    const locks = new LockFiles(folder);
    locks.hold('pool', { ...hold, note: 'a long note indeed' }, 0);
    locks.hold('pool', { ...hold, note: '' }, 1_000);
    expect(locks.read('pool')).toEqual({ ...hold, note: '', renewedMs: 1_000 });
    expect(readFileSync(join(folder, 'pool.1.lock'), 'utf8').length).toBeGreaterThan(0);
  });

  it('of one pool is not confused with that of a pool with the same prefix', () => {
    const folder = emptyFolder();
    const locks = new LockFiles(folder);
    locks.hold('pool', hold, 0);
    locks.hold('pool.1', { ...hold, holder: 'run-2' }, 0);
    expect(locks.read('pool')?.holder).toBe('run-1');
    expect(locks.read('pool.1')?.holder).toBe('run-2');
  });
});
