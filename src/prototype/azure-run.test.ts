// The whole operation with the official SDK against the simulated Azure, refereed by Microsoft's own specs: Uniform and Flexible.
import { afterEach, describe, expect, it } from 'vitest';
import { type Referee, seatReferee } from '../../sims/azure/referee/referee.ts';
import { versionOfDay } from '../base/clock.ts';
import { fakeCluster } from '../cluster/fake/fake-cluster.ts';
import { type AzureLab, azureLab } from '../vms/azure/testing.ts';
import { type EngineEdges, recoverDonor, runPrototype } from './engine.ts';
import { galleryName } from './names.ts';
import type { Intent } from './scene.ts';
import { pod } from './testing.ts';

let lab: AzureLab | undefined;
afterEach(() => lab?.end());

const referee: Referee = await seatReferee();

async function world(mode: 'Uniform' | 'Flexible') {
  lab = await azureLab({ mode, sim: { referee } });
  const { factory, clock, sim } = lab;
  const pool = await lab.makePool(3);
  const donorRef = await factory.locate(pool.providerIds[0]!);
  const donor = (await factory.readInstance(donorRef))!;
  const cluster = fakeCluster(clock);
  cluster.addNode('donor', { providerId: pool.providerIds[0]!, systemUuid: donor.vmId });
  cluster.pods = [pod('web-1', 'donor')];
  // A node is Ready as long as its machine runs.
  const readNode = cluster.readNode;
  cluster.readNode = async (name) => {
    const machine = Object.values(sim.inspect().instances).find((i) => i.vmId === donor.vmId);
    const isReady = machine?.power === 'running';
    if (cluster.nodes.get(name)?.isReady !== isReady) cluster.touch(name, { isReady });
    return readNode(name);
  };
  const intent: Intent = {
    nodeName: 'donor',
    gallery: galleryName('contract'),
    version: versionOfDay(clock.nowMs()),
    replicas: 3,
    imageHistory: 3,
    graceSeconds: 300,
    isDrainForced: false,
    isReleased: false,
    mayBeManaged: false,
  };
  const edges: EngineEdges = {
    factory,
    cluster,
    clock,
    signal: new AbortController().signal,
    customData: 'Ym9vdHN0cmFw',
    seal: async () => undefined,
    tell: () => undefined,
  };
  const run = (id: string) => runPrototype(intent, donorRef, id, edges);
  return { lab, sim, clock, cluster, pool, donor, donorRef, intent, edges, run };
}

describe.each(['Uniform', 'Flexible'] as const)('a prototype run on a %s scale set', (mode) => {
  it('ends with new instances made from the version, without bootstrap, and the donor as it was found', async () => {
    const { run, lab, pool, sim, donor, cluster, clock } = await world(mode);
    const startedMs = clock.nowMs();
    const { steps, version } = await run('first');
    expect(steps).toContain('switch-model');
    const born = await lab.grow(pool.ref);
    expect(born.image).toMatchObject({
      kind: 'version',
      id: expect.stringMatching(new RegExp(`/versions/${version}$`, 'i')),
    });
    expect(born.customData ?? '').not.toContain('runcmd');
    expect(born.extensions).not.toContain('bootstrap');
    const now = (await lab.factory.readInstance(donor.ref))!;
    expect({ ...now, isOnLatestModel: true }).toEqual({ ...donor, isOnLatestModel: true });
    expect(cluster.nodes.get('donor')).toMatchObject({ isUnschedulable: false, annotations: {} });
    expect(await lab.factory.readSnapshot('headstart-pool-3-prototype')).toBeUndefined();
    expect(sim.violations).toEqual([]);
    expect(clock.nowMs() - startedMs).toBeGreaterThan(10 * 60_000); // the image took its time, on the clock
  });

  it('has nothing left to do when repeated', async () => {
    const { run } = await world(mode);
    await run('first');
    expect((await run('second')).steps).toEqual([]);
  });

  it.each(['throttle', 'server-error', 'connection-reset'] as const)(
    'rides out %s on every kind of call',
    async (kind) => {
      const { run, sim } = await world(mode);
      sim.fail({ on: '* *', kind, chance: 0.1, times: 1000 });
      await run('first');
      expect(sim.violations).toEqual([]);
    },
  );

  it('brings the donor home when the snapshot cannot be taken', async () => {
    const { run, sim, lab, donor, cluster, intent, donorRef, edges } = await world(mode);
    sim.fail({ on: 'PUT snapshots', kind: 'lro-failed', times: 100 });
    await expect(run('first')).rejects.toThrow();
    expect((await lab.factory.readInstance(donor.ref))!.power).toBe('running');
    expect(cluster.nodes.get('donor')).toMatchObject({ isUnschedulable: false, annotations: {} });
    sim.healAll();
    expect(await recoverDonor(intent, donorRef, 'recover', edges)).toEqual([]);
    await run('second');
  });
});

describe('the referee', () => {
  it('rejected nothing', async () => {
    const { checked, rejected } = await referee.report();
    console.log(
      `referee: ${checked} exchanges checked, ${rejected.length} rejected${referee.sat ? '' : ' (did not sit: no specs)'}`,
    );
    expect(rejected).toEqual([]);
    if (referee.sat) expect(checked).toBeGreaterThan(500);
  });
});
