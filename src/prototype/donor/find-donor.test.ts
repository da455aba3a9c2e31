import { describe, expect, it } from 'vitest';
import { PRIOR_ANNOTATION } from '../names.ts';
import { POOL } from '../testing.ts';
import { type DonorRequest, findDonor } from './find-donor.ts';
import { donorLab } from './testing.ts';

const wish = (named: DonorRequest['named'], more: Partial<DonorRequest> = {}): DonorRequest => ({
  named,
  mayBeUnpatched: false,
  provenMs: 0,
  ...more,
});

describe('findDonor', () => {
  it('takes the node that is named, and reads no pool', async () => {
    const { site, factory, donor, ref, deps } = donorLab();
    factory.pools.listInstances = () => Promise.reject(new Error('the pool was read'));
    const found = await findDonor(site, wish({ node: donor.computerName }), deps);
    expect(found).toMatchObject({ node: { name: donor.computerName }, ref, strays: [] });
    expect(found.because).toBeUndefined();
  });

  it('chooses the best of the pool, says why, and passes the members on', async () => {
    const { site, donor, deps } = donorLab();
    const found = await findDonor(site, wish({ pool: POOL }), deps);
    expect(found.node.name).toBe(donor.computerName);
    expect(found.because).toContain('the best candidate');
    expect(found.members).toHaveLength(3);
  });

  it('goes on with a donor that a run left out of service, and names the others', async () => {
    const { site, cluster, deps } = donorLab();
    const [, second, third] = [...cluster.nodes.keys()].sort();
    for (const name of [second!, third!]) cluster.touch(name, { annotations: { [PRIOR_ANNOTATION]: '{}' } });
    const found = await findDonor(site, wish({ pool: POOL }), deps);
    expect(found.node.name).toBe(second);
    expect(found.strays.map(({ node }) => node.name)).toEqual([third]);
  });

  it('names the reason against every node when none would do', async () => {
    const { site, cluster, deps } = donorLab();
    for (const name of cluster.nodes.keys()) cluster.touch(name, { isReady: false });
    const found = findDonor(site, wish({ pool: POOL }), deps);
    await expect(found).rejects.toMatchObject({
      code: 'prototype/no-candidate',
      next: `headstart prototype candidates --pool ${POOL}`,
      exitCode: 1,
    });
    for (const name of cluster.nodes.keys()) await expect(found).rejects.toThrow(`${name}: it is not Ready`);
  });

  it('says that a pool without nodes has none', async () => {
    const { site, cluster, ref, deps } = donorLab({ hasCluster: false });
    const empty = { ...site, cluster: { ...cluster, listNodes: async () => [] }, pools: async () => [ref.pool] };
    await expect(findDonor(empty, wish({ pool: POOL }), deps)).rejects.toThrow(/would do as a donor: it has none$/);
  });
});
