import { describe, expect, it } from 'vitest';
import { writeLastRun } from '../../prototype/last-run.ts';
import { DONOR_TAG } from '../../prototype/names.ts';
import { POOL, POOL_REF } from '../../prototype/testing.ts';
import { statusVerb } from './status.ts';
import { verbLab } from './testing.ts';

describe('prototype status', () => {
  it('shows what a pool starts from before and after a run', async () => {
    const world = verbLab();
    const before = await world.runVerb(statusVerb);
    expect(before.stdout).toContain(`${POOL} starts from marketplace debian:debian-12:12-gen2:latest\n`);
    expect(before.stdout).not.toContain('VERSION');
    await world.run();
    const after = await world.runVerb(statusVerb, '--pool', POOL);
    expect(after.stdout).toContain(`${POOL} starts from version ${world.intent.version}, without bootstrap`);
    expect(after.stdout).toMatch(
      new RegExp(`${world.intent.version} +ready +${world.donor.computerName}.*new instances`),
    );
    expect(after.stdout).toMatch(/stale/);
  });

  it('names the commands for a donor that is out of service', async () => {
    const world = verbLab();
    world.donor.tags = { [DONOR_TAG]: 'dead 00' };
    const { stdout, stderr } = await world.runVerb(statusVerb);
    expect(stdout).toContain('out of service: a donor');
    const name = world.donor.computerName;
    expect(stderr).toBe(
      `next:  if no run uses ${name} any more: headstart prototype run --node ${name} resumes the run, headstart prototype recover --node ${name} only returns the node to service\n`,
    );
  });

  it('shows why the last run failed, and no longer after a success', async () => {
    const world = verbLab();
    const failed = {
      outcome: 'failed',
      endedAt: '2026-11-18T03:12:45.000Z',
      node: 'n1',
      code: 'prototype/drain-blocked',
    };
    await writeLastRun(world.cluster, POOL_REF, { ...failed, outcome: 'failed', reason: 'no luck', next: 'try again' });
    const { stdout, stderr } = await world.runVerb(statusVerb);
    expect(stdout).toContain('the last run of n1 failed at 2026-11-18T03:12:45.000Z: no luck\n');
    expect(stdout).toContain('code:  prototype/drain-blocked\n');
    expect(stderr).toContain('next:  try again\n');
    expect(JSON.parse((await world.runVerb(statusVerb, '--json')).stdout).pools[0].lastRun).toMatchObject(failed);
    await writeLastRun(world.cluster, POOL_REF, { outcome: 'failed', endedAt: failed.endedAt, reason: 'no donor' });
    expect((await world.runVerb(statusVerb)).stdout).toContain(
      'the last run failed at 2026-11-18T03:12:45.000Z: no donor',
    );
    await writeLastRun(world.cluster, POOL_REF, { outcome: 'succeeded', endedAt: failed.endedAt, version: '1.1.1' });
    expect((await world.runVerb(statusVerb)).stdout).not.toContain('failed');
  });

  it('prints one document with --json', async () => {
    const world = verbLab();
    expect(JSON.parse((await world.runVerb(statusVerb, '--json')).stdout)).toMatchObject({
      kind: 'PrototypeStatus',
      gallery: world.intent.gallery,
      pools: [{ pool: POOL, versions: [], hasBootstrap: 'unknown' }],
    });
  });

  it.each([
    [true, 'no node of this cluster belongs to a pool\n'],
    [false, 'no pools\n'],
  ])('reports that there are no pools (with a cluster: %s)', async (hasCluster, said) => {
    const world = verbLab({ hasCluster });
    world.cluster.nodes.clear();
    expect(await world.runVerb(statusVerb)).toMatchObject({ code: 0, stdout: said });
  });
});
