// Whole runs with the official SDK against the simulated Azure, checked against Microsoft's specs: Uniform and Flexible.
import { afterEach, describe, expect, it } from 'vitest';
import { type Referee, seatReferee } from '../../../sims/azure/referee/referee.ts';
import type { ScenarioInput } from '../../../sims/azure/scenario.ts';
import { objectAt } from '../../../sims/azure/service/json.ts';
import { versionOfDay } from '../../base/clock.ts';
import { neededActions } from '../../vms/azure/access/rights.ts';
import type { AzureLab } from '../../vms/azure/testing.ts';
import type { SavedModel } from '../../vms/publisher.ts';
import { rollbackToOriginal } from '../after/rollback.ts';
import { uninstallPool } from '../after/run-uninstall.ts';
import { prototypeDefinitionName, savedModelName } from '../names.ts';
import { azureWorld, BOOTSTRAP, HEALTH } from './azure-world.testing.ts';
import { recoverDonor } from './engine.ts';

let lab: AzureLab | undefined;
afterEach(() => lab?.end());

const referee: Referee = await seatReferee();

async function world(mode: 'Uniform' | 'Flexible', scenario: Partial<ScenarioInput> = {}) {
  const made = await azureWorld(mode, referee, { scenario });
  lab = made.lab;
  return made;
}

describe.each(['Uniform', 'Flexible'] as const)('a prototype run on a %s scale set', (mode) => {
  it('ends with new instances from the version, without bootstrap, and restores the donor', async () => {
    const { run, lab, pool, sim, donor, cluster, clock } = await world(mode);
    const startedMs = clock.nowMs();
    const before = sim.requests.length;
    const { steps, version } = await run('first');
    expect(steps).toContain('switch-model');
    const asked = sim.requests.slice(before);
    const polls = asked.filter(({ path }) => /operations\//i.test(path)).length;
    console.log(`${mode}: ${asked.length} requests of one run, ${polls} of them polls of an operation`);
    const grown = await lab.grow(pool.ref);
    expect(grown.image).toMatchObject({
      kind: 'version',
      id: expect.stringMatching(new RegExp(`/versions/${version}$`, 'i')),
    });
    expect(grown.customData ?? '').not.toContain('runcmd');
    expect(grown.extensions).not.toContain('bootstrap');
    const now = (await lab.provider.pools.readInstance(donor.ref))!;
    expect({ ...now, isOnLatestModel: true }).toEqual({ ...donor, isOnLatestModel: true });
    expect(cluster.nodes.get('donor')).toMatchObject({ isUnschedulable: false, annotations: {} });
    expect(await lab.provider.snapshots.readSnapshot('headstart-pool-3-prototype')).toBeUndefined();
    expect(sim.violations).toEqual([]);
    expect(clock.nowMs() - startedMs).toBeGreaterThan(10 * 60_000); // the image takes minutes of simulated time
  });

  it('needs the rights that are checked before it, no more than the role has', async () => {
    const { run, sim } = await world(mode);
    await run('first');
    const used = sim.roles.used().filter((action) => !/\/locations\//.test(action));
    const { pool, gallery } = neededActions(mode === 'Uniform' ? 'uniform' : 'flexible');
    // Old versions are deleted only when there are more than the history.
    const needed = [...pool, ...gallery].filter((action) => !action.endsWith('versions/delete'));
    expect([...new Set(needed)].sort()).toEqual(used);
  });

  it('does nothing when repeated', async () => {
    const { run } = await world(mode);
    await run('first');
    expect((await run('second')).steps).toEqual([]);
  });

  it.each(['throttle', 'server-error', 'connection-reset'] as const)(
    'survives %s on every kind of call',
    async (kind) => {
      const { run, sim } = await world(mode);
      sim.fail({ on: '* *', kind, chance: 0.1, times: 1000 });
      await run('first');
      expect(sim.violations).toEqual([]);
    },
  );

  it('in a locked group succeeds with warnings, and makes the version of the next day too', async () => {
    const { run, sim, clock, intent, lab, pool } = await world(mode, { locks: [{ level: 'CanNotDelete' }] });
    const first = await run('first');
    expect(first.warnings).toEqual([expect.stringMatching(/^delete the snapshot: .*ScopeLocked/)]);
    await clock.sleep(24 * 3_600_000);
    intent.version = versionOfDay(clock.nowMs());
    const second = await run('second');
    expect(second.version).toBe(intent.version);
    expect(second.version).not.toBe(first.version);
    expect((await lab.grow(pool.ref)).image).toMatchObject({
      id: expect.stringMatching(new RegExp(`${second.version}$`)),
    });
    expect(Object.keys(sim.inspect().snapshots)).toHaveLength(2);
    sim.meddle((azure) => {
      azure.locks = [];
    });
    await clock.sleep(24 * 3_600_000);
    intent.version = versionOfDay(clock.nowMs());
    expect((await run('third')).warnings).toEqual([]);
    expect(Object.keys(sim.inspect().snapshots)).toEqual([]);
  });

  it('restores the donor when the snapshot fails', async () => {
    const { run, sim, lab, donor, cluster, intent, donorRef, deps } = await world(mode);
    sim.fail({ on: 'PUT snapshots', kind: 'lro-failed', times: 100 });
    await expect(run('first')).rejects.toThrow();
    expect((await lab.provider.pools.readInstance(donor.ref))!.power).toBe('running');
    expect(cluster.nodes.get('donor')).toMatchObject({ isUnschedulable: false, annotations: {} });
    sim.healAll();
    expect(await recoverDonor(intent, donorRef, 'recover', deps)).toEqual([]);
    await run('second');
  });
});

describe.each(['Uniform', 'Flexible'] as const)('a %s pool that was created specialized', (mode) => {
  const scenario: Partial<ScenarioInput> = {
    scaleSets: [
      {
        ...{ name: 'pool-3', mode, instances: 3, osState: 'Specialized' },
        extensions: [BOOTSTRAP, { ...HEALTH, after: ['bootstrap'] }],
      },
    ],
  };

  it('gets a specialized definition, starts instances without an OS profile, and can be rolled back', async () => {
    const { lab, sim, run, pool, intent, cluster } = await world(mode, scenario);
    const before = (await lab.provider.pools.readPool(pool.ref))!;
    expect(before.model).toMatchObject({ osState: 'specialized', bootstrap: 'none', image: { kind: 'version' } });
    const { version, steps } = await run('first');
    expect(steps).toContain('switch-model');
    const [definition] = (await lab.provider.gallery.listDefinitions(intent.gallery))!;
    expect(definition).toMatchObject({ name: prototypeDefinitionName(pool.ref), osState: 'specialized' });
    const grown = await lab.grow(pool.ref);
    expect(grown).toEqual({
      image: {
        kind: 'version',
        id: expect.stringMatching(new RegExp(`/images/${definition!.name}/versions/${version}$`)),
      },
      extensions: ['health'],
    });
    const [newest] = Object.values(sim.inspect().instances).toSorted((a, b) => b.createdMs - a.createdMs);
    expect(newest!.birth.osProfile).toBeNull();
    expect((await run('second')).steps).toEqual([]);

    const recipe = JSON.parse(cluster.secrets.get(savedModelName(pool.ref))!.recipe!) as SavedModel;
    const now = (await lab.provider.pools.readPool(pool.ref))!;
    await lab.provider.publisher.changeModel(now, rollbackToOriginal(now, recipe));
    const old = await lab.grow(pool.ref);
    expect(old.image).toEqual(before.model.image);
    expect(old.extensions.toSorted()).toEqual(['bootstrap', 'health']);
    expect(sim.violations).toEqual([]);
  });
});

describe.each(['Uniform', 'Flexible'] as const)('uninstalling from a %s pool', (mode) => {
  const goBack = { to: 'original', isUnsealing: false } as const;

  it('restores the pool with the shipped role and leaves nothing in the cloud or the cluster', async () => {
    const { lab, sim, run, pool, intent, cluster, deps } = await world(mode);
    const found = Object.values(sim.inspect().scaleSets).find(({ name }) => name === 'pool-3')!;
    await run('first');
    await lab.grow(pool.ref);
    const request = { pool: pool.ref, gallery: intent.gallery, runId: 'u', options: goBack };

    const first = await uninstallPool(request, deps);
    expect(first.done).toHaveLength(2); // the model and its tag
    expect(first.kept[0]).toMatchObject({ what: `version ${intent.version}`, next: expect.any(String) });

    sim.meddle((azure) => {
      for (const [key, { id, birth }] of Object.entries(azure.instances))
        if (id.includes('pool-3') && birth.exactVersion === intent.version) delete azure.instances[key];
    });
    const second = await uninstallPool(request, deps);
    expect(second.kept).toEqual([]);
    expect(second.done).toHaveLength(4);
    const after = sim.inspect();
    expect([after.galleries, after.definitions, after.versions, after.snapshots]).toEqual([{}, {}, {}, {}]);
    const set = Object.values(after.scaleSets).find(({ name }) => name === 'pool-3')!;
    expect(set.tags).toEqual(found.tags);
    expect(set.secrets.customData).toBe('Ym9vdHN0cmFw');
    expect(objectAt(set.properties, 'virtualMachineProfile', 'storageProfile')).toEqual(
      objectAt(found.properties, 'virtualMachineProfile', 'storageProfile'),
    );
    expect([cluster.secrets.size, cluster.leases.size]).toEqual([0, 0]);
    expect(await uninstallPool(request, deps)).toEqual({ done: [], kept: [], sealed: [] });
    expect(sim.violations).toEqual([]);
  });

  it('survives faults, long operations and operations that fail part-way', async () => {
    const { sim, run, pool, intent, deps } = await world(mode);
    await run('first');
    for (const on of ['DELETE versions', 'DELETE images', 'DELETE galleries', 'PATCH virtualMachineScaleSets']) {
      sim.fail({ on, kind: 'lro-failed', times: 1 });
      sim.fail({ on, kind: 'conflict', times: 1 });
    }
    sim.fail({ on: '* *', kind: 'connection-reset', chance: 0.1, times: 1000 });
    const { kept } = await uninstallPool(
      { pool: pool.ref, gallery: intent.gallery, runId: 'u', options: goBack },
      deps,
    );
    expect(kept).toEqual([]);
    expect(sim.inspect().galleries).toEqual({});
  });
});

describe('the referee', () => {
  it('rejects no request', async () => {
    const { checked, rejected } = await referee.report();
    console.log(
      `referee: ${checked} exchanges checked, ${rejected.length} rejected${referee.sat ? '' : ' (did not sit: no specs)'}`,
    );
    expect(rejected).toEqual([]);
    if (referee.sat) expect(checked).toBeGreaterThan(500);
  });
});
