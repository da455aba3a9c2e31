import { describe, expect, it } from 'vitest';
import { UserError } from '../../base/errors.ts';
import { LeaseHeld } from '../../cluster/lease-held.ts';
import { donorLab } from '../donor/testing.ts';
import { readLastRun } from '../last-run.ts';
import { POOL, POOL_REF } from '../testing.ts';
import { reportRun, reportSearch } from './report-run.ts';

const broken = new UserError('the drain timed out', { code: 'prototype/drain-blocked', next: 'raise the budget' });
const result = { version: '2026.11.18', steps: ['drain'], warnings: [] };

function world() {
  const { site, cluster, clock, donor } = donorLab();
  const node = cluster.nodes.get(donor.computerName)!;
  const subject = { pool: POOL_REF, node };
  return { site, cluster, clock, node, subject, deps: { clock }, last: () => readLastRun(cluster, POOL_REF) };
}

describe('the report of a run', () => {
  it('that failed is an Event on the donor, and a record that outlives the Job', async () => {
    const { site, cluster, clock, node, subject, deps, last } = world();
    await expect(reportRun(site, subject, deps, () => Promise.reject(broken))).rejects.toBe(broken);
    expect(cluster.events).toEqual([
      {
        node: node.name,
        reason: 'PrototypeFailed',
        message: 'the drain timed out; next: raise the budget; code: prototype/drain-blocked',
      },
    ]);
    expect(await last()).toEqual({
      outcome: 'failed',
      endedAt: new Date(clock.nowMs()).toISOString(),
      node: node.name,
      code: 'prototype/drain-blocked',
      reason: 'the drain timed out',
      next: 'raise the budget',
    });
  });

  it('that succeeded replaces the record of an earlier failure', async () => {
    const { site, cluster, subject, deps, last } = world();
    await reportRun(site, subject, deps, () => Promise.reject(broken)).catch(() => undefined);
    expect(await reportRun(site, subject, deps, async () => result)).toBe(result);
    expect(await last()).toMatchObject({ outcome: 'succeeded', version: '2026.11.18' });
    expect(cluster.events.map(({ reason }) => reason)).toEqual(['PrototypeFailed', 'PrototypeSucceeded']);
  });

  it('that found everything done has no Event', async () => {
    const { site, cluster, subject, deps, last } = world();
    await reportRun(site, subject, deps, async () => ({ ...result, steps: [], warnings: [] }));
    expect(cluster.events).toEqual([]);
    expect(await last()).toMatchObject({ outcome: 'succeeded' });
  });

  it('that another run kept out leaves the record to that run', async () => {
    const { site, cluster, subject, deps, last } = world();
    const held = new LeaseHeld('lease', { holder: 'other', renewedMs: 0, durationMs: 1, note: '' });
    await expect(reportRun(site, subject, deps, () => Promise.reject(held))).rejects.toBe(held);
    expect([await last(), cluster.events]).toEqual([undefined, []]);
  });

  it('never changes how the run ends', async () => {
    const { site, subject, deps } = world();
    const mute = { ...site.cluster };
    mute.writeSecret = () => Promise.reject(new Error('gone'));
    mute.recordEvent = () => Promise.reject(new Error('gone'));
    const silent = { ...site, cluster: mute };
    expect(await reportRun(silent, subject, deps, async () => result)).toBe(result);
    await expect(reportRun(silent, subject, deps, () => Promise.reject(broken))).rejects.toBe(broken);
  });
});

describe('the report of a search for a donor', () => {
  it('that found none in a pool is a record of that pool', async () => {
    const { site, cluster, deps, last } = world();
    await expect(reportSearch(site, { pool: POOL }, deps, () => Promise.reject(broken))).rejects.toBe(broken);
    expect(await last()).toMatchObject({ outcome: 'failed', code: 'prototype/drain-blocked' });
    expect(await last()).not.toHaveProperty('node');
    expect(cluster.events).toEqual([]);
  });

  it.each([{ node: 'gone' }, { pool: 'gone' }])('for %j, which does not exist, has no place', async (named) => {
    const { site, cluster, deps } = world();
    await expect(reportSearch(site, named, deps, () => Promise.reject(broken))).rejects.toBe(broken);
    expect(cluster.secrets.size).toBe(0);
  });

  it('that found one is left to the run', async () => {
    const { site, cluster, deps } = world();
    expect(await reportSearch(site, { pool: POOL }, deps, async () => 'found')).toBe('found');
    expect(cluster.secrets.size).toBe(0);
  });
});
