import { describe, expect, it } from 'vitest';
import { PRIOR_ANNOTATION } from '../names.ts';
import { POOL } from '../testing.ts';
import { type DonorRequest, findDonor } from './find-donor.ts';
import { donorLab } from './testing.ts';

const wanted = (named: DonorRequest['named'], more: Partial<DonorRequest> = {}): DonorRequest => ({
  named,
  mayBeUnpatched: false,
  provenMs: 0,
  ...more,
});

describe('findDonor', () => {
  it('takes the named node without reading its pool', async () => {
    const { site, provider, donor, ref, deps } = donorLab();
    provider.pools.listInstances = () => Promise.reject(new Error('the pool was read'));
    const found = await findDonor(site, wanted({ node: donor.computerName }), deps);
    expect(found).toMatchObject({ node: { name: donor.computerName }, ref, strays: [] });
    expect(found.because).toBeUndefined();
  });

  it('chooses the best node of the pool and returns the reason and the members', async () => {
    const { site, donor, deps } = donorLab();
    const found = await findDonor(site, wanted({ pool: POOL }), deps);
    expect(found.node.name).toBe(donor.computerName);
    expect(found.because).toContain('the best candidate');
    expect(found.members).toHaveLength(3);
  });

  it('chooses a donor that a run left out of service and returns the others as strays', async () => {
    const { site, cluster, deps } = donorLab();
    const [, second, third] = [...cluster.nodes.keys()].sort();
    for (const name of [second!, third!]) cluster.touch(name, { annotations: { [PRIOR_ANNOTATION]: '{}' } });
    const found = await findDonor(site, wanted({ pool: POOL }), deps);
    expect(found.node.name).toBe(second);
    expect(found.strays.map(({ node }) => node.name)).toEqual([third]);
  });

  it('names the reasons against every node when none is suitable', async () => {
    const { site, cluster, deps } = donorLab();
    for (const name of cluster.nodes.keys()) cluster.touch(name, { isReady: false });
    const found = findDonor(site, wanted({ pool: POOL }), deps);
    await expect(found).rejects.toMatchObject({
      code: 'prototype/no-candidate',
      next: `headstart prototype candidates --pool ${POOL}`,
      exitCode: 1,
    });
    for (const name of cluster.nodes.keys()) await expect(found).rejects.toThrow(`${name}: it is not Ready`);
  });

  it('reports a pool without nodes', async () => {
    const { site, cluster, ref, deps } = donorLab({ hasCluster: false });
    const empty = { ...site, cluster: { ...cluster, listNodes: async () => [] }, pools: async () => [ref.pool] };
    await expect(findDonor(empty, wanted({ pool: POOL }), deps)).rejects.toThrow(
      /is suitable as a donor: the pool has no nodes$/,
    );
  });
});
