import { describe, expect, it } from 'vitest';
import type { Access, VmProvider } from '../../vms/provider.ts';
import { findDonor } from '../donor/find-donor.ts';
import { donorLab, inspectionOf } from '../donor/testing.ts';
import { DONOR_TAG, PRIOR_ANNOTATION } from '../names.ts';
import { POOL } from '../testing.ts';
import type { RunEvent } from './run-event.ts';
import { runOnSite } from './run-on-site.ts';

/** A pool whose donor needs a reboot: the run is refused after it has inspected the donor. */
function refusingLab() {
  const world = donorLab({ hasCluster: false });
  const lines = ['reboot-required\t/run/reboot-required\tlinux-base'];
  world.cluster.runScript = () => ({ exitCode: 0, stdout: inspectionOf(world.donor.vmId, ...lines), stderr: '' });
  const events: RunEvent[] = [];
  const order = {
    intentFor: (nodeName: string) => ({ ...world.intent, nodeName }),
    terms: { mayBeUnpatched: false, mayLoseBootstrap: true },
    runId: 'run-1',
  };
  const deps = { ...world.deps, onEvent: (event: RunEvent) => void events.push(event) };
  const wish = { named: { pool: POOL }, mayBeUnpatched: false, provenMs: 0 };
  return { ...world, events, order, runDeps: deps, find: () => findDonor(world.site, wish, deps) };
}

describe('runOnSite', () => {
  it('reports why the donor was chosen before anything else', async () => {
    const { site, donor, events, order, runDeps, find } = refusingLab();
    await expect(runOnSite(site, await find(), order, runDeps)).rejects.toMatchObject({ code: 'prototype/unpatched' });
    expect(events[0]).toMatchObject({ event: 'donor', node: donor.computerName });
  });

  it('restores donors of other runs before it inspects its own', async () => {
    const { site, cluster, order, runDeps, find, messages } = refusingLab();
    const found = await find();
    const stray = (await site.cluster.listNodes()).find(({ name }) => name !== found.name)!;
    const prior = { run: 'dead', isUnschedulable: false, protection: { fromScaleIn: false, fromPoolActions: false } };
    cluster.touch(stray.name, { isUnschedulable: true, annotations: { [PRIOR_ANNOTATION]: JSON.stringify(prior) } });
    const ref = await site.provider.pools.locate(stray.providerId);
    const run = runOnSite(site, { ...found, strays: [{ name: stray.name, node: stray, ref }] }, order, {
      ...runDeps,
      onInspect: () => void messages.push(String(cluster.nodes.get(stray.name)!.isUnschedulable)),
    });
    await expect(run).rejects.toMatchObject({ code: 'prototype/unpatched' });
    expect(messages).toEqual(['false']);
    expect(cluster.nodes.get(stray.name)!.annotations[PRIOR_ANNOTATION]).toBeUndefined();
  });

  it('restores a donor that only its tag marks before it refuses it', async () => {
    const { site, donor, order, runDeps } = refusingLab();
    donor.tags = { [DONOR_TAG]: 'dead 00' };
    donor.protection = { fromScaleIn: true, fromPoolActions: true };
    const wish = { named: { node: donor.computerName }, mayBeUnpatched: false, provenMs: 0 };
    await expect(runOnSite(site, await findDonor(site, wish, runDeps), order, runDeps)).rejects.toMatchObject({
      code: 'prototype/unpatched',
      kept: 'Donors of earlier runs are back in service; nothing else was changed.',
    });
    expect(donor.tags).toEqual({});
    expect(donor.protection).toEqual({ fromScaleIn: false, fromPoolActions: false });
  });

  it('leaves a refused donor unchanged', async () => {
    const { site, cluster, provider, order, runDeps, find } = refusingLab();
    const before = JSON.stringify([...provider.state.pools, ...cluster.nodes]);
    await expect(runOnSite(site, await find(), order, runDeps)).rejects.toThrow('is not patched');
    expect(JSON.stringify([...provider.state.pools, ...cluster.nodes])).toBe(before);
    expect(cluster.leases.size).toBe(0);
  });

  describe('when the cloud would refuse what a run needs', () => {
    const refusal = { code: 'vms/missing-rights', reason: 'the login lacks rights: a, b', next: 'assign a role' };
    const lock = { code: 'vms/locked', reason: 'the group is locked', next: 'remove the lock' };
    const withAccess = (access: Access) => {
      const world = refusingLab();
      const asked: string[] = [];
      const checkAccess: VmProvider['checkAccess'] = async (pool, gallery) => {
        asked.push(`${pool.name} ${gallery}`);
        return access;
      };
      return { ...world, asked, site: { ...world.site, provider: { ...world.provider, checkAccess } } };
    };

    it('is refused before anything is inspected or changed, with all reasons at once', async () => {
      const { site, cluster, provider, order, runDeps, find, messages, asked, intent } = withAccess({
        refusals: [refusal, lock],
        notes: [],
      });
      const before = JSON.stringify([...provider.state.pools, ...cluster.nodes]);
      await expect(runOnSite(site, await find(), order, runDeps)).rejects.toMatchObject({
        code: 'vms/missing-rights',
        message: 'the login lacks rights: a, b; the group is locked',
        kept: 'Nothing was changed.',
        next: 'assign a role',
        exitCode: 1,
      });
      expect(JSON.stringify([...provider.state.pools, ...cluster.nodes])).toBe(before);
      expect(messages).toEqual([]);
      expect(asked).toEqual([`${POOL} ${intent.gallery}`]);
    });

    it('first restores a donor that an earlier run left out of service', async () => {
      const { site, cluster, order, runDeps, find, donor } = withAccess({ refusals: [lock], notes: [] });
      const found = await find();
      const prior = { run: 'dead', isUnschedulable: false, protection: { fromScaleIn: false, fromPoolActions: false } };
      cluster.touch(donor.computerName, {
        isUnschedulable: true,
        annotations: { [PRIOR_ANNOTATION]: JSON.stringify(prior) },
      });
      const node = cluster.nodes.get(donor.computerName)!;
      await expect(runOnSite(site, { ...found, node }, order, runDeps)).rejects.toMatchObject({
        code: 'vms/locked',
        kept: 'The donor is back in service; nothing else was changed.',
      });
      expect(cluster.nodes.get(donor.computerName)).toMatchObject({ isUnschedulable: false, annotations: {} });
    });

    it('passes on what the user should know', async () => {
      const { site, order, runDeps, find, messages } = withAccess({ refusals: [], notes: ['snapshots will stay'] });
      await expect(runOnSite(site, await find(), order, runDeps)).rejects.toMatchObject({
        code: 'prototype/unpatched',
      });
      expect(messages[0]).toBe('warning snapshots will stay');
    });
  });
});
