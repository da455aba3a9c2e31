import { describe, expect, it } from 'vitest';
import { DONOR_TAG } from '../../prototype/names.ts';
import { POOL } from '../../prototype/testing.ts';
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
