import { describe, expect, it } from 'vitest';
import type { Node } from '../../cluster/cluster.ts';
import { BAD_TAG, DONOR_TAG, PRIOR_ANNOTATION } from '../names.ts';
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
  it('takes the named node if nothing is against it', async () => {
    const { site, donor, ref, deps } = donorLab();
    const found = await findDonor(site, wanted({ node: donor.computerName }), deps);
    expect(found).toMatchObject({ node: { name: donor.computerName }, ref, strays: [], refusals: [], notes: [] });
    expect(found.because).toBeUndefined();
  });

  it.each<[string, Partial<Node>, string]>([
    ['reports pressure', { troubles: ['DiskPressure'] }, 'prototype/unfit-donor'],
    ['has just become Ready', { readySinceMs: 0 }, 'prototype/unproven-donor'],
    ['is a control plane node', { labels: { 'node-role.kubernetes.io/control-plane': '' } }, 'prototype/unfit-donor'],
    ['needs a reboot', { annotations: { 'reboot-required': 'true' } }, 'prototype/unpatched'],
  ])('refuses a named node that %s, as it would not be chosen', async (_, change, code) => {
    const { site, cluster, donor, clock, deps } = donorLab();
    const request = wanted({ node: donor.computerName }, { provenMs: clock.nowMs() + 1 });
    cluster.touch(donor.computerName, { readySinceMs: undefined as never, ...change });
    const { refusals } = await findDonor(site, request, deps);
    expect(refusals.map((refusal) => refusal.code)).toEqual([code]);
  });

  it('refuses the node that this process runs on, named or not', async () => {
    const { site, donor, deps } = donorLab();
    const ownNames = [donor.computerName];
    const named = await findDonor(site, wanted({ node: donor.computerName }, { ownNames }), deps);
    expect(named.refusals.map(({ code }) => code)).toEqual(['prototype/own-node']);
    const chosen = await findDonor(site, wanted({ pool: POOL }, { ownNames }), deps);
    expect(chosen.name).not.toBe(donor.computerName);
  });

  it('judges a donor that a run has taken out of service only by what the run did not cause', async () => {
    const { site, cluster, donor, deps } = donorLab();
    const annotations = { [PRIOR_ANNOTATION]: '{}' };
    cluster.touch(donor.computerName, { annotations, readySinceMs: deps.clock.nowMs(), isUnschedulable: true });
    const request = wanted({ node: donor.computerName });
    expect(await findDonor(site, request, deps)).toMatchObject({ refusals: [], notes: [] });
    cluster.touch(donor.computerName, { troubles: ['DiskPressure'] });
    const unfit = await findDonor(site, request, deps);
    expect(unfit.refusals.map(({ code }) => code)).toEqual(['prototype/unfit-donor']);
    cluster.touch(donor.computerName, { troubles: [] });
    const own = await findDonor(site, { ...request, ownNames: [donor.computerName] }, deps);
    expect(own.refusals.map(({ code }) => code)).toEqual(['prototype/own-node']);
  });

  it('does not judge a donor whose disk a run has copied: it restarted a minute ago', async () => {
    const world = donorLab();
    const { site, cluster, donor, clock, deps } = world;
    await world.run();
    cluster.touch(donor.computerName, { readySinceMs: clock.nowMs() });
    const request = wanted({ node: donor.computerName }, { provenMs: 3_600_000, ownNames: [donor.computerName] });
    expect(await findDonor(site, request, deps)).toMatchObject({ refusals: [] });
  });

  it('does not choose an instance of a version that is marked bad', async () => {
    const world = donorLab();
    const { site, provider, donor, deps } = world;
    await world.run();
    const [version] = provider.state.versions.values();
    version!.tags = { ...version!.tags, [BAD_TAG.toUpperCase()]: 'rollback ordered 2026-11-15' };
    const { instances } = provider.state.pools.get('/pools/pool1')!;
    for (const instance of instances.slice(1)) instance.image = { kind: 'version', id: version!.id };
    for (const one of instances.slice(1)) {
      const { refusals } = await findDonor(site, wanted({ node: one.computerName }), deps);
      expect(refusals[0]?.reason).toContain('which is marked bad (rollback ordered 2026-11-15)');
    }
    expect((await findDonor(site, wanted({ pool: POOL }), deps)).name).toBe(donor.computerName);
  });

  it('chooses the best node of the pool and returns the reason and the members', async () => {
    const { site, donor, deps } = donorLab();
    const found = await findDonor(site, wanted({ pool: POOL }), deps);
    expect(found.name).toBe(donor.computerName);
    expect(found.because).toContain('the best candidate');
    expect(found.members).toHaveLength(3);
  });

  it('chooses a donor that a run left out of service and returns the others as strays', async () => {
    const { site, cluster, deps } = donorLab();
    const [, second, third] = [...cluster.nodes.keys()].sort();
    for (const name of [second!, third!]) cluster.touch(name, { annotations: { [PRIOR_ANNOTATION]: '{}' } });
    const found = await findDonor(site, wanted({ pool: POOL }), deps);
    expect(found.name).toBe(second);
    expect(found.strays.map(({ name }) => name)).toEqual([third]);
  });

  it('also returns donors as strays whose Node object is gone', async () => {
    const { site, cluster, provider, donor, deps } = donorLab();
    const { instances } = provider.state.pools.get('/pools/pool1')!;
    cluster.nodes.delete(instances[1]!.computerName);
    instances[1]!.tags = { [DONOR_TAG]: 'dead 00' };
    const found = await findDonor(site, wanted({ pool: POOL }), deps);
    expect(found.name).toBe(donor.computerName);
    expect(found.strays).toEqual([{ name: instances[1]!.computerName, ref: instances[1]!.ref }]);
  });

  it('takes a named donor without its Node object, to restore it', async () => {
    const { site, cluster, provider, donor, ref, deps } = donorLab();
    cluster.nodes.delete(donor.computerName);
    provider.state.pools.get('/pools/pool1')!.instances[0]!.tags = { [DONOR_TAG]: 'dead 00' };
    const found = await findDonor(site, wanted({ node: donor.computerName }), deps);
    expect(found).toEqual({ name: donor.computerName, ref, strays: [], refusals: [], notes: [] });
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
