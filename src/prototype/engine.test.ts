import { describe, expect, it } from 'vitest';
import { UserError } from '../base/errors.ts';
import { LeaseHeld } from '../cluster/lease-held.ts';
import { donorAsItIs, donorViolations, modelViolations } from './invariants.testing.ts';
import { leaseName, snapshotName, TAGS } from './names.ts';
import { Crash, Dial, lab, POOL, pod } from './testing.ts';

const failure = async (promise: Promise<unknown>): Promise<UserError> => {
  const error = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(UserError);
  return error as UserError;
};

describe('a prototype run', () => {
  it('does the steps in the order that keeps the donor safe, and a second one has nothing left to do', async () => {
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

  it('falls back to locally redundant storage where the region has no other', async () => {
    const world = lab();
    world.factory.hasZoneRedundancy = false;
    await world.run();
    expect([...world.factory.state.versions.values()].map((v) => v.redundancy)).toEqual(['local']);
  });

  it('keeps its hold on the pool through a drain that takes longer than a hold lasts', async () => {
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

  it('two at once: the second is told who has the pool, and touches nothing', async () => {
    const world = lab();
    await world.cluster.holdLease(leaseName(POOL), { holder: 'other', durationMs: 900_000, note: 'prototype of x' });
    const before = JSON.stringify([...world.factory.state.pools]);
    const error = await failure(world.run());
    expect(error).toBeInstanceOf(LeaseHeld);
    expect(error.message).toContain('other');
    expect(JSON.stringify([...world.factory.state.pools])).toBe(before);
  });

  it('against a node that was deleted: a clear message and an intact pool', async () => {
    const world = lab();
    world.cluster.nodes.delete(world.donor.computerName);
    const error = await failure(world.run());
    expect(error.code).toBe('prototype/no-donor');
    expect(world.donor.power).toBe('running');
    expect(modelViolations(world)).toEqual([]);
  });

  it('a node of the same name on another machine is not the donor', async () => {
    const world = lab();
    world.cluster.touch(world.donor.computerName, { systemUuid: 'ffffffff-0000-4000-8000-000000000000' });
    expect((await failure(world.run())).code).toBe('prototype/no-donor');
  });

  it('a drain that a budget blocks: the donor is back as it was found, and nothing was captured', async () => {
    const world = lab();
    const found = donorAsItIs(world);
    world.cluster.pods = [pod('ledger-0', world.donor.computerName)];
    world.cluster.blocked.add('ledger-0');
    const error = await failure(world.run());
    expect(error.message).toContain('ledger-0');
    expect(donorViolations(world, found)).toEqual([]);
    expect(world.factory.state.snapshots.size).toBe(0);
  });

  it('a snapshot of another donor is not resumed from and not deleted', async () => {
    const world = lab();
    world.factory.state.snapshots.set(snapshotName(POOL), {
      name: snapshotName(POOL),
      id: '/snapshots/other',
      state: 'complete',
      percent: 100,
      sourceDiskId: '/disks/other',
      createdMs: 0,
      tags: { [TAGS.donor]: 'pool1-000099', [TAGS.version]: world.intent.version },
      isSealed: true,
    });
    const error = await failure(world.run());
    expect(error.code).toBe('prototype/other-snapshot');
    expect(error.next).toContain('--node pool1-000099');
    expect(world.factory.state.snapshots.size).toBe(1);
    expect(world.donor.power).toBe('running');
  });

  it("today's version from another donor: at most one a day", async () => {
    const world = lab();
    await world.run();
    const other = world.factory.state.pools.get(world.ref.pool.id)!.instances[1]!;
    world.intent.nodeName = other.computerName;
    world.ref.id = other.ref.id;
    for (const version of world.factory.state.versions.values()) version.tags = { [TAGS.donor]: 'pool1-000001' };
    expect((await failure(world.run())).code).toBe('prototype/one-a-day');
  });

  it('a version half replicated is waited for, never used', async () => {
    const world = lab();
    const dial = new Dial('crash-after', await callOf('beginVersion'));
    await expect(world.run(dial)).rejects.toThrow();
    world.clock.advance(70_000); // made, not yet replicated
    expect(modelViolations(world)).toEqual([]);
    world.clock.advance(15 * 60_000);
    await world.run(new Dial(), 'second');
    expect(modelViolations(world)).toEqual([]);
  });

  it('past midnight between steps, the version that was begun is finished', async () => {
    const world = lab();
    const dial = new Dial('crash-after', await callOf('beginVersion'));
    await expect(world.run(dial)).rejects.toThrow();
    world.clock.advance(24 * 3_600_000);
    const begun = world.intent.version;
    world.intent.version = '2026.11.16';
    await world.run(new Dial(), 'second');
    expect([...world.factory.state.versions.values()].map((v) => v.name)).toEqual([begun]);
    expect(world.factory.state.snapshots.size).toBe(0);
  });

  it("yesterday's snapshot that never became a version is thrown away, and the donor asked again", async () => {
    const world = lab();
    const dial = new Dial('crash-after', await callOf('createSnapshot'));
    await expect(world.run(dial)).rejects.toThrow();
    world.clock.advance(24 * 3_600_000);
    world.intent.version = '2026.11.16';
    const { steps } = await world.run(new Dial(), 'second');
    expect(steps.slice(0, 4)).toEqual(['start-donor', 'await-ready', 'restore-protection', 'restore-node']);
    expect(steps).toContain('discard-snapshot');
    expect([...world.factory.state.versions.values()].map((v) => v.name)).toEqual(['2026.11.16']);
  });

  it('a donor whose Node object went away while it was off is started all the same', async () => {
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

  it('survives a crash in the run and another in its resume', async () => {
    const calls = await callsOfACleanRun();
    let cases = 0;
    for (let first = 10; first < calls; first += 37) {
      for (let second = 5; second < calls; second += 41) {
        cases++;
        const world = lab();
        const found = donorAsItIs(world);
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

function onlyCrash(error: unknown): void {
  if (!(error instanceof Crash) && !(error instanceof UserError && error.code === 'prototype/donor-out')) throw error;
}

async function callsOfACleanRun(): Promise<number> {
  const dial = new Dial();
  await lab().run(dial);
  return dial.calls;
}

/** The number of the first call of that name in a clean run. */
async function callOf(name: string): Promise<number> {
  const dial = new Dial();
  await lab().run(dial);
  return dial.names.indexOf(name);
}

describe('the hold on a pool', () => {
  it('is renewed while a step waits for longer than it lasts', async () => {
    const world = lab();
    world.cluster.pods = [pod('slow', world.donor.computerName)];
    world.cluster.blocked.add('slow');
    world.intent.graceSeconds = 1800;
    const renewals: number[] = [];
    const { holdLease } = world.cluster;
    world.cluster.holdLease = async (name, lease) => {
      renewals.push(world.clock.nowMs());
      await holdLease(name, lease);
    };
    await failure(world.run());
    const gaps = renewals.slice(1).map((at, i) => at - renewals[i]!);
    expect(Math.max(...gaps)).toBeLessThan(15 * 60_000);
    expect(world.clock.sleptMs).toBeGreaterThan(60 * 60_000);
  });
});
