import { describe, expect, it } from 'vitest';
import { findDonor } from '../donor/find-donor.ts';
import { donorLab, inspectionOf } from '../donor/testing.ts';
import { PRIOR_ANNOTATION } from '../names.ts';
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

  it('leaves a refused donor unchanged', async () => {
    const { site, cluster, provider, order, runDeps, find } = refusingLab();
    const before = JSON.stringify([...provider.state.pools, ...cluster.nodes]);
    await expect(runOnSite(site, await find(), order, runDeps)).rejects.toThrow('is not patched');
    expect(JSON.stringify([...provider.state.pools, ...cluster.nodes])).toBe(before);
    expect(cluster.leases.size).toBe(0);
  });
});
