import { spawn } from 'node:child_process';
import { once } from 'node:events';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fakeClock } from '../base/fake-clock.ts';
import { markOf } from '../base/process-mark.ts';
import { fakeCluster } from './fake/fake-cluster.ts';
import { holderName, isDead, markText, withoutDeadHolders } from './holder.ts';
import { LeaseHeld } from './lease-held.ts';

/** The holder name of a killed process. */
async function nameOfDead(): Promise<string> {
  const child = spawn('sleep', ['600']);
  const name = `run-here-00000000-${markText(markOf(child.pid!)!)}`;
  expect(isDead(name)).toBe(false);
  child.kill('SIGKILL');
  await once(child, 'exit');
  return name;
}

describe('the name of a holder', () => {
  it('is unique, and alive as long as its process', () => {
    const [one, other] = [holderName('run'), holderName('run')];
    expect(one).not.toBe(other);
    expect([one, other].map(isDead)).toEqual([false, false]);
  });

  it('shows that its process has ended, even if the pid was reused', async () => {
    expect(isDead(await nameOfDead())).toBe(true);
    const { startTicks } = markOf(process.pid)!;
    expect(isDead(holderName('run').replace(`.${startTicks}.`, '.1.'))).toBe(true);
  });

  it('is never dead for a process elsewhere or any other text', async () => {
    const elsewhere = (await nameOfDead()).replace(/[0-9a-f]{8}$/, '00000000');
    expect(isDead(elsewhere)).toBe(false);
    fc.assert(fc.property(fc.string(), (text) => !isDead(text)));
  });
});

describe('a hold', () => {
  const hold = { durationMs: 900_000, note: 'a run' };

  it('of a process that died here is taken over at once', async () => {
    const cluster = withoutDeadHolders(fakeCluster(fakeClock()));
    await cluster.holdLease('pool', { holder: await nameOfDead(), ...hold });
    const holder = holderName('run');
    await cluster.holdLease('pool', { holder, ...hold });
    expect(await cluster.readLease('pool')).toMatchObject({ holder });
  });

  it('of a live or unknown process is not taken over', async () => {
    for (const holder of [holderName('run'), 'run-elsewhere-1388637d']) {
      const cluster = withoutDeadHolders(fakeCluster(fakeClock()));
      await cluster.holdLease('pool', { holder, ...hold });
      const asked = cluster.holdLease('pool', { holder: holderName('run'), ...hold });
      await expect(asked).rejects.toBeInstanceOf(LeaseHeld);
    }
  });
});
