import { describe, expect, it } from 'vitest';
import { PRIOR_ANNOTATION } from '../names.ts';
import { assessDonor, reasonNotToInspect } from './assess-donor.ts';
import { readMembers } from './members.ts';
import { locateDonor } from './out-of-service.ts';
import { donorLab, inspectionOf } from './testing.ts';

async function donorWith(...lines: string[]) {
  const world = donorLab({ hasCluster: false });
  world.cluster.runScript = () => ({ exitCode: 0, stdout: inspectionOf(world.donor.vmId, ...lines), stderr: '' });
  const { node, ref } = await locateDonor(world.site, world.donor.computerName, world.deps.signal);
  return { ...world, located: { node: node!, ref, hasGivenBootstrap: false } };
}

describe('reasonNotToInspect', () => {
  it('names a run that has taken the donor, then a node that is not Ready', () => {
    const { cluster, donor } = donorLab();
    const node = cluster.nodes.get(donor.computerName)!;
    expect(reasonNotToInspect(node)).toBeUndefined();
    expect(reasonNotToInspect({ ...node, isReady: false })).toBe('it is not Ready');
    const out = { ...node, isReady: false, annotations: { [PRIOR_ANNOTATION]: '{}' } };
    expect(reasonNotToInspect(out)).toBe('a run has taken it out of service');
  });
});

describe('assessDonor', () => {
  it('judges the donor and returns the bootstrap it found separately', async () => {
    const base64 = Buffer.from('boot').toString('base64');
    const { site, located, deps, messages } = await donorWith(`custom-data\t/var/lib/u\t${base64}`);
    const { verdict, bootstrap } = await assessDonor(site, located, deps);
    expect(verdict).toMatchObject({ pool: 'pool1', unpatched: [], wayBack: { kind: 'found', file: '/var/lib/u' } });
    expect(verdict.joining).toBeUndefined();
    expect(bootstrap?.reveal()).toBe(base64);
    expect(messages).toEqual([`inspect ${located.node.name}`]);
  });

  it('does not need the bootstrap on the donor if the operator provides it', async () => {
    const { site, located, deps } = await donorWith();
    const { verdict } = await assessDonor(site, { ...located, hasGivenBootstrap: true }, deps);
    expect(verdict.wayBack).toEqual({ kind: 'given' });
  });

  it('compares the donor with the given members and does not read them again', async () => {
    const { site, cluster, located, deps } = await donorWith();
    const members = await readMembers(site, located.ref.pool, deps.signal);
    cluster.listNodes = () => Promise.reject(new Error('the cluster was listed again'));
    const newer = members.map((member, i) =>
      i === 0 ? member : { ...member, node: { ...member.node, kernelVersion: '99.0.0' } },
    );
    const { verdict } = await assessDonor(site, { ...located, members: newer }, deps);
    expect(verdict.unpatched).toEqual([expect.stringContaining('99.0.0')]);
  });

  it('refuses the output of another machine', async () => {
    const { site, cluster, located, deps } = await donorWith();
    cluster.runScript = () => ({ exitCode: 0, stdout: inspectionOf('another-vm'), stderr: '' });
    await expect(assessDonor(site, located, deps)).rejects.toMatchObject({
      code: 'prototype/other-machine',
      message: expect.stringContaining('another-vm'),
    });
  });
});
