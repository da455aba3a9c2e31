import { describe, expect, it } from 'vitest';
import { UserError } from '../../base/errors.ts';
import { LeaseHeld } from '../../cluster/lease-held.ts';
import type { Version } from '../../vms/gallery.ts';
import { leaseName, snapshotName, TAGS } from '../names.ts';
import { Crash, Dial, type Lab, lab, POOL, pod } from '../testing.ts';
import { donorViolations, modelViolations, readDonorState } from './invariants.testing.ts';

const failure = async (promise: Promise<unknown>): Promise<UserError> => {
  const error = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(UserError);
  return error as UserError;
};

describe('a prototype run', () => {
  it('applies the steps in the order that keeps the donor safe, and does nothing when repeated', async () => {
    const world = lab();
    const { steps } = await world.run();
    expect(steps).toEqual([
      'save-recipe',
      'ensure-definition',
      'record-prior',
      'guard-node',
      'protect-instance',
      'cordon',
      'drain',
      'seal-donor',
      'stop-donor',
      'take-snapshot',
      'start-donor',
      'await-ready',
      'restore-protection',
      'restore-node',
      'begin-version',
      'await-version',
      'switch-model',
      'include-version',
      'delete-snapshot',
    ]);
    expect((await world.run()).steps).toEqual([]);
  });

  it('falls back to locally redundant storage in a region without zones', async () => {
    const world = lab();
    world.provider.hasZoneRedundancy = false;
    await world.run();
    expect([...world.provider.state.versions.values()].map((v) => v.redundancy)).toEqual(['local']);
  });

  it('renews its hold during a drain that takes longer than the hold lasts', async () => {
    const world = lab();
    const { cluster, clock, intent } = world;
    intent.graceSeconds = 600;
    cluster.blocked.add('web-1');
    const startedMs = clock.nowMs();
    const leftMs: number[] = [];
    const evict = cluster.evict;
    cluster.evict = (...asked) => {
      const { renewedMs, durationMs } = cluster.leases.get(leaseName(POOL))!;
      leftMs.push(renewedMs + durationMs - clock.nowMs());
      if (clock.nowMs() - startedMs > 25 * 60_000) cluster.blocked.clear();
      return evict(...asked);
    };
    await world.run();
    expect(clock.nowMs() - startedMs).toBeGreaterThan(25 * 60_000);
    expect(Math.min(...leftMs)).toBeGreaterThan(60_000);
  });

  it('changes nothing while another run holds the pool, and names that run', async () => {
    const world = lab();
    await world.cluster.holdLease(leaseName(POOL), { holder: 'other', durationMs: 900_000, note: 'prototype of x' });
    const before = JSON.stringify([...world.provider.state.pools]);
    const error = await failure(world.run());
    expect(error).toBeInstanceOf(LeaseHeld);
    expect(error.message).toContain('other');
    expect(JSON.stringify([...world.provider.state.pools])).toBe(before);
  });

  it('refuses a node that was deleted and leaves the pool unchanged', async () => {
    const world = lab();
    world.cluster.nodes.delete(world.donor.computerName);
    const error = await failure(world.run());
    expect(error.code).toBe('prototype/no-donor');
    expect(world.donor.power).toBe('running');
    expect(modelViolations(world)).toEqual([]);
  });

  it('refuses a node of the same name on another machine', async () => {
    const world = lab();
    world.cluster.touch(world.donor.computerName, { systemUuid: 'ffffffff-0000-4000-8000-000000000000' });
    expect((await failure(world.run())).code).toBe('prototype/no-donor');
  });

  it('restores the donor and captures nothing when a budget blocks the drain', async () => {
    const world = lab();
    const found = readDonorState(world);
    world.cluster.pods = [pod('ledger-0', world.donor.computerName)];
    world.cluster.blocked.add('ledger-0');
    const error = await failure(world.run());
    expect(error.message).toContain('ledger-0');
    expect(donorViolations(world, found)).toEqual([]);
    expect(world.provider.state.snapshots.size).toBe(0);
  });

  it('neither uses nor deletes a snapshot of another donor', async () => {
    const world = lab();
    world.provider.state.pools.get(world.ref.pool.id)!.instances[1]!.computerName = 'pool1-000099';
    world.provider.state.snapshots.set(snapshotName(POOL), {
      name: snapshotName(POOL),
      id: '/snapshots/other',
      state: 'complete',
      percent: 100,
      sourceDiskId: '/disks/other',
      createdMs: 0,
      tags: { [TAGS.donor]: 'pool1-000099', [TAGS.version]: world.intent.version, [TAGS.sealed]: 'run-0' },
      isSealed: true,
    });
    const error = await failure(world.run());
    expect(error.code).toBe('prototype/other-snapshot');
    expect(error.next).toContain('--node pool1-000099');
    expect(world.provider.state.snapshots.size).toBe(1);
    expect(world.donor.power).toBe('running');
  });

  it('does not use the snapshot or version of an earlier machine of the same name in a recreated pool', async () => {
    const world = lab();
    await world.run();
    const [version] = world.provider.state.versions.values();
    expect(version!.tags[TAGS.donorVmId]).toBe(world.donor.vmId);
    version!.tags = { ...version!.tags, [TAGS.donorVmId]: '00000000-0000-4000-8000-00000000dead' };
    const error = await failure(world.run());
    expect(error.code).toBe('prototype/one-a-day');
    expect(error.message).toContain(`from an earlier machine called ${world.donor.computerName}`);
    world.provider.state.versions.clear();
    world.provider.state.snapshots.set(snapshotName(POOL), {
      name: snapshotName(POOL),
      id: '/snapshots/earlier',
      state: 'complete',
      percent: 100,
      sourceDiskId: '/disks/earlier',
      createdMs: 0,
      tags: { ...version!.tags },
      isSealed: true,
    });
    const { steps } = await world.run(new Dial(), 'last');
    expect(steps).toEqual(expect.arrayContaining(['discard-snapshot', 'drain', 'seal-donor', 'take-snapshot']));
  });

  it('refuses a second donor on the same day', async () => {
    const world = lab();
    await world.run();
    const other = world.provider.state.pools.get(world.ref.pool.id)!.instances[1]!;
    world.intent.nodeName = other.computerName;
    world.ref.id = other.ref.id;
    for (const version of world.provider.state.versions.values()) version.tags = { [TAGS.donor]: 'pool1-000001' };
    expect((await failure(world.run())).code).toBe('prototype/one-a-day');
  });

  it('waits for a version that is still replicating before it uses it', async () => {
    const world = lab();
    const dial = new Dial('crash-after', await callOf('beginVersion'));
    await expect(world.run(dial)).rejects.toThrow();
    world.clock.advance(70_000); // created, not yet replicated
    expect(modelViolations(world)).toEqual([]);
    world.clock.advance(15 * 60_000);
    await world.run(new Dial(), 'second');
    expect(modelViolations(world)).toEqual([]);
  });

  it('finishes the version it began when midnight passes between steps', async () => {
    const world = lab();
    const dial = new Dial('crash-after', await callOf('beginVersion'));
    await expect(world.run(dial)).rejects.toThrow();
    world.clock.advance(24 * 3_600_000);
    const begun = world.intent.version;
    world.intent.version = '2026.11.16';
    await world.run(new Dial(), 'second');
    expect([...world.provider.state.versions.values()].map((v) => v.name)).toEqual([begun]);
    expect(world.provider.state.snapshots.size).toBe(0);
  });

  it("deletes yesterday's snapshot that never became a version, and captures the donor again", async () => {
    const world = lab();
    const dial = new Dial('crash-after', await callOf('createSnapshot'));
    await expect(world.run(dial)).rejects.toThrow();
    world.clock.advance(24 * 3_600_000);
    world.intent.version = '2026.11.16';
    const { steps } = await world.run(new Dial(), 'second');
    expect(steps.slice(0, 4)).toEqual(['start-donor', 'await-ready', 'restore-protection', 'restore-node']);
    expect(steps).toContain('discard-snapshot');
    expect([...world.provider.state.versions.values()].map((v) => v.name)).toEqual(['2026.11.16']);
  });

  it('starts a donor whose Node object was deleted while it was off', async () => {
    const world = lab();
    const dial = new Dial('crash-after', await callOf('createSnapshot'));
    await expect(world.run(dial)).rejects.toThrow();
    world.cluster.nodes.delete(world.donor.computerName);
    world.clock.advance(16 * 60_000);
    const { steps } = await world.run(new Dial(), 'second');
    expect(steps[0]).toBe('start-donor');
    expect(world.donor.power).toBe('running');
    expect(world.donor.tags).toEqual({});
    expect(world.donor.protection).toEqual({ fromScaleIn: false, fromPoolActions: false });
    expect(modelViolations(world)).toEqual([]);
  });

  it('survives a crash in the run and a second crash in its resume', async () => {
    const calls = await callsOfACleanRun();
    let cases = 0;
    for (let first = 10; first < calls; first += 37) {
      for (let second = 5; second < calls; second += 41) {
        cases++;
        const world = lab();
        const found = readDonorState(world);
        await world.run(new Dial('crash-after', first), 'first').catch(onlyCrash);
        world.clock.advance(16 * 60_000);
        await world.run(new Dial('crash-before', second), 'second').catch(onlyCrash);
        expect(modelViolations(world)).toEqual([]);
        world.clock.advance(16 * 60_000);
        await world.run(new Dial(), 'third');
        expect([...donorViolations(world, found), ...modelViolations(world)], `${first}, ${second}`).toEqual([]);
      }
    }
    expect(cases).toBeGreaterThan(40);
  });
});

describe('a run that waits', () => {
  /** A version that takes as long as in a real cloud. */
  const slowVersion = (world: Lab, tookMs: number) => {
    const { provider, clock } = world;
    const slowly = (version: Version | undefined): Version | undefined =>
      version && clock.nowMs() - version.createdMs < tookMs ? { ...version, state: 'creating', percent: 1 } : version;
    const { readVersion, listVersions } = provider.gallery;
    provider.gallery.readVersion = async (...asked) => slowly(await readVersion(...asked));
    provider.gallery.listVersions = async (definition) =>
      (await listVersions(definition)).map((version) => slowly(version) ?? version);
  };

  it('polls only the version it waits for, and renews its hold', async () => {
    const world = lab();
    slowVersion(world, 60 * 60_000);
    const leftMs: number[] = [];
    const { readVersion } = world.provider.gallery;
    world.provider.gallery.readVersion = (...asked) => {
      const { renewedMs, durationMs } = world.cluster.leases.get(leaseName(POOL))!;
      leftMs.push(renewedMs + durationMs - world.clock.nowMs());
      return readVersion(...asked);
    };
    const dial = new Dial();
    await world.run(dial);
    const waited = dial.names.slice(dial.names.indexOf('readVersion'), dial.names.lastIndexOf('readVersion') + 1);
    expect(waited.filter((name) => name === 'readVersion')).toHaveLength(120);
    expect(new Set(waited)).toEqual(new Set(['readVersion', 'holdLease']));
    expect(Math.min(...leftMs)).toBeGreaterThan(9 * 60_000);
  });

  it('polls only the node and the instance of a donor it waits for', async () => {
    const dial = new Dial();
    await lab().run(dial);
    const started = dial.names.slice(dial.names.indexOf('start') + 1, dial.names.lastIndexOf('setProtection'));
    expect(started.filter((name) => name === 'readPool').length).toBeLessThanOrEqual(2);
    expect(started.filter((name) => name === 'readNode').length).toBeGreaterThan(5);
  });

  it('fails when another run took the pool, without an alarm about a donor that is in service', async () => {
    const world = lab();
    const found = readDonorState(world);
    slowVersion(world, 60 * 60_000);
    const { readVersion } = world.provider.gallery;
    world.provider.gallery.readVersion = (...asked) => {
      const { clock, cluster } = world;
      const durationMs = 60 * 60_000;
      cluster.leases.set(leaseName(POOL), { holder: 'other', renewedMs: clock.nowMs(), durationMs, note: 'n' });
      return readVersion(...asked);
    };
    expect(await failure(world.run())).toMatchObject({ code: 'prototype/locked', cause: expect.any(LeaseHeld) });
    expect(donorViolations(world, found)).toEqual([]);
    expect(world.cluster.leases.get(leaseName(POOL))?.holder).toBe('other');
  });
});

describe('a snapshot that a killed run left', () => {
  const killed = async (copyingMs: number): Promise<Lab> => {
    const world = lab();
    world.provider.copyingMs = copyingMs;
    await expect(world.run(new Dial('crash-after', await callOf('createSnapshot')))).rejects.toThrow();
    world.clock.advance(16 * 60_000);
    return world;
  };

  it.each([
    ['that is still copying when the run is resumed', 60 * 60_000],
    ['that is complete by then', 60_000],
  ])('%s becomes the version without a second capture', async (_, copyingMs) => {
    const world = await killed(copyingMs);
    const created = world.provider.state.snapshots.get(snapshotName(POOL))!.createdMs;
    const dial = new Dial();
    const { steps } = await world.run(dial, 'second');
    expect(steps.slice(0, 4)).toEqual(['start-donor', 'await-ready', 'restore-protection', 'restore-node']);
    for (const step of ['discard-snapshot', 'cordon', 'drain', 'stop-donor', 'take-snapshot']) {
      expect(steps).not.toContain(step);
    }
    expect(world.clock.nowMs()).toBeGreaterThan(created + copyingMs);
    expect([...world.provider.state.versions.values()].map(({ name }) => name)).toEqual([world.intent.version]);
    expect(modelViolations(world)).toEqual([]);
  });

  it('is used even if its donor is gone', async () => {
    const world = await killed(60 * 60_000);
    world.cluster.nodes.delete(world.donor.computerName);
    const { steps } = await world.run(new Dial(), 'second');
    expect(steps).toContain('await-snapshot');
    expect(steps).toContain('switch-model');
  });

  it('is deleted when it fails during the wait, and the donor is captured again', async () => {
    const world = await killed(60 * 60_000);
    const { readSnapshot } = world.provider.snapshots;
    world.provider.snapshots.readSnapshot = async (name) => {
      const snapshot = await readSnapshot(name);
      const hasFailed = snapshot?.tags[TAGS.run] !== 'second' && world.clock.sleptMs > 20 * 60_000;
      return snapshot && hasFailed ? { ...snapshot, state: 'failed' } : snapshot;
    };
    const { steps } = await world.run(new Dial(), 'second');
    expect(steps.indexOf('discard-snapshot')).toBeGreaterThan(steps.indexOf('await-snapshot'));
    expect(steps.indexOf('take-snapshot')).toBeGreaterThan(steps.indexOf('discard-snapshot'));
    expect(modelViolations(world)).toEqual([]);
  });
});

function onlyCrash(error: unknown): void {
  if (!(error instanceof Crash) && !(error instanceof UserError && error.code === 'prototype/donor-out')) throw error;
}

async function callsOfACleanRun(): Promise<number> {
  const dial = new Dial();
  await lab().run(dial);
  return dial.calls;
}

/** The index of the first call of that name in a run without faults. */
async function callOf(name: string): Promise<number> {
  const dial = new Dial();
  await lab().run(dial);
  return dial.names.indexOf(name);
}
