// The world moves during a run: others stop the donor, power readings are missing, orders are held back, versions fail late.
import { describe, expect, it } from 'vitest';
import { UserError } from '../../base/errors.ts';
import { Forbidden, Throttled } from '../../base/failures.ts';
import type { Instance } from '../../vms/pools.ts';
import { BAD_TAG, leaseName, SEALED_ANNOTATION, TAGS } from '../names.ts';
import { Crash, Dial, type Lab, lab, POOL_REF, pod } from '../testing.ts';
import { type EngineDeps, type RunEvent, recoverDonor, runPrototype } from './engine.ts';
import { donorViolations, modelViolations, readDonorState } from './invariants.testing.ts';
import { recoveryIntent } from './scene.ts';

const failure = async (promise: Promise<unknown>): Promise<UserError> => {
  const error = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(UserError);
  return error as UserError;
};

/** Calls `act` right after the contract's method `name` took effect. */
function afterCall<T extends object>(
  target: T,
  name: keyof T & string,
  act: (times: number) => void | Promise<void>,
): void {
  const call = target[name] as (...args: unknown[]) => Promise<unknown>;
  let times = 0;
  Object.assign(target, {
    [name]: async (...args: unknown[]) => {
      const answer = await call.apply(target, args);
      await act(++times);
      return answer;
    },
  });
}

const engineDeps = (world: Lab, onEvent: (event: RunEvent) => void = () => undefined): EngineDeps => ({
  ...world.provider,
  cluster: world.cluster,
  clock: world.clock,
  signal: new AbortController().signal,
  onEvent,
  seal: async () => {
    world.donor.isSealed = true;
  },
});

const setPower = ({ donor, provider }: Lab, power: Instance['power']) => {
  donor.power = power;
  provider.onPower(donor);
};

describe('a donor whose power is not `running` after it was cordoned', () => {
  it.each(['unknown', 'starting', 'stopping'] as const)('is waited for while it reads %s', async (power) => {
    const world = lab();
    let readings = 0;
    const { readInstance } = world.provider.pools;
    world.provider.pools.readInstance = async (ref) => {
      const seen = await readInstance(ref);
      const isCordoned = world.cluster.nodes.get(world.donor.computerName)?.isUnschedulable;
      return seen && isCordoned && seen.power === 'running' && readings++ < 3 ? { ...seen, power } : seen;
    };
    const { steps } = await world.run();
    expect(readings).toBeGreaterThan(2);
    expect(steps).toEqual(expect.arrayContaining(['drain', 'seal-donor', 'take-snapshot']));
    expect(world.cluster.pods).toEqual([]);
    expect(modelViolations(world)).toEqual([]);
  });

  it('is started and sealed if someone stops it after the drain', async () => {
    const world = lab();
    const found = readDonorState(world);
    afterCall(world.cluster, 'evict', (times) => {
      if (times === 2) setPower(world, 'stopped');
    });
    const { steps } = await world.run();
    expect(steps.indexOf('wake-donor')).toBeGreaterThan(0);
    expect(steps.indexOf('seal-donor')).toBeGreaterThan(steps.indexOf('wake-donor'));
    expect([...donorViolations(world, found), ...modelViolations(world)]).toEqual([]);
  });

  it('is not captured if its mark of the seal is removed while it is off', async () => {
    const world = lab();
    const found = readDonorState(world);
    afterCall(world.provider.pools, 'stop', (times) => {
      const node = world.cluster.nodes.get(world.donor.computerName)!;
      const { [SEALED_ANNOTATION]: _, ...annotations } = node.annotations;
      if (times === 1) world.cluster.touch(node.name, { annotations });
      if (times === 1) world.donor.isSealed = false;
    });
    await world.run();
    expect([...donorViolations(world, found), ...modelViolations(world)]).toEqual([]);
  });

  it('is sealed again if its disk was replaced after the seal', async () => {
    const world = lab();
    afterCall(world.provider.pools, 'stop', (times) => {
      if (times > 1) return;
      world.donor.osDisk = { id: '/disks/reimaged', sizeGb: 30 };
      world.donor.isSealed = false;
    });
    await world.run();
    expect(modelViolations(world)).toEqual([]);
  });

  it('fails the run in less than an hour if it never runs again, and the donor is restored', async () => {
    const world = lab();
    const found = readDonorState(world);
    const { readInstance } = world.provider.pools;
    let isLost = false;
    afterCall(world.cluster, 'evict', () => {
      isLost = true;
    });
    world.provider.pools.readInstance = async (ref) => {
      const seen = await readInstance(ref);
      const isMarked = world.cluster.nodes.get(world.donor.computerName)?.annotations[SEALED_ANNOTATION] === undefined;
      return seen && isLost && isMarked && world.clock.sleptMs < 50 * 60_000 ? { ...seen, power: 'unknown' } : seen;
    };
    const startedMs = world.clock.nowMs();
    const error = await failure(world.run());
    expect(error.message).toContain('start');
    expect(world.clock.nowMs() - startedMs).toBeLessThan(2 * 3_600_000);
    expect([...donorViolations(world, found), ...modelViolations(world)]).toEqual([]);
  });
});

describe('a Node object that is deleted and registers again during the run', () => {
  it('does not make the protection of the run the state that is restored', async () => {
    const world = lab();
    const found = readDonorState(world);
    const { cluster, donor } = world;
    let isDeleted = false;
    afterCall(cluster, 'evict', () => {
      if (isDeleted) return;
      isDeleted = true;
      cluster.nodes.delete(donor.computerName);
      cluster.addNode(donor.computerName, {
        providerId: `fake://${POOL_REF.name}/${donor.ref.id}`,
        systemUuid: donor.vmId,
      });
    });
    await world.run();
    expect([...donorViolations(world, found), ...modelViolations(world)]).toEqual([]);
  });
});

describe('a donor whose own version is marked bad during the run', () => {
  it('is not copied, unless the operator accepts it', async () => {
    for (const mayBeUnfit of [false, true]) {
      const world = lab();
      await world.run(new Dial(), 'first');
      const [version] = world.provider.state.versions.values();
      world.donor.image = { kind: 'version', id: version!.id.toUpperCase() };
      Object.assign(world.intent, { version: '2026.11.16', mayBeUnfit });
      const found = readDonorState(world);
      afterCall(world.cluster, 'evict', () => {
        version!.tags = { ...version!.tags, [BAD_TAG]: 'rolled back' };
      });
      world.cluster.pods = [pod('web-3', world.donor.computerName)];
      const run = world.run(new Dial(), 'second');
      if (mayBeUnfit) expect((await run).steps).toContain('take-snapshot');
      else expect((await failure(run)).code).toBe('prototype/unfit-donor');
      expect(donorViolations(world, found)).toEqual([]);
    }
  });
});

describe('an Event that cannot be written', () => {
  it('does not end the run', async () => {
    const world = lab();
    const found = readDonorState(world);
    world.cluster.recordEvent = () => Promise.reject(new Error('the API server does not answer'));
    await world.run();
    expect([...donorViolations(world, found), ...modelViolations(world)]).toEqual([]);
  });
});

describe('a snapshot without proof of the seal', () => {
  it('never becomes a version: it is deleted and the donor is captured again', async () => {
    const world = lab();
    const dial = new Dial('crash-after', await callOf('createSnapshot'));
    await world.run(dial, 'first').catch(onlyCrash);
    const [snapshot] = world.provider.state.snapshots.values();
    snapshot!.tags = Object.fromEntries(Object.entries(snapshot!.tags).filter(([key]) => key !== TAGS.sealed));
    snapshot!.isSealed = false;
    world.clock.advance(16 * 60_000);
    const { steps } = await world.run(new Dial(), 'second');
    expect(steps).toContain('discard-snapshot');
    expect(modelViolations(world)).toEqual([]);
  });
});

describe('an order that is held back for longer than the hold', () => {
  it('is not sent: a donor that a colleague recovered meanwhile stays in service', async () => {
    const world = lab();
    const found = readDonorState(world);
    const { stop } = world.provider.pools;
    let heldBack = 0;
    world.provider.pools.stop = async (ref, options) => {
      if (heldBack++ > 0) return stop(ref, options);
      const waitMs = 1_200_000;
      if ((options?.fence?.leftMs() ?? waitMs) < waitMs) throw new Throttled('too many requests', waitMs);
      world.clock.advance(waitMs);
      await recoverDonor(recoveryIntent(world.donor.computerName, 'g'), world.ref, 'colleague', engineDeps(world));
      return stop(ref, options);
    };
    await world.run();
    expect(heldBack).toBe(2);
    expect([...donorViolations(world, found), ...modelViolations(world)]).toEqual([]);
  });

  it('is undone if it took effect late all the same', async () => {
    const world = lab();
    const found = readDonorState(world);
    const { stop } = world.provider.pools;
    let times = 0;
    world.provider.pools.stop = async (ref, options) => {
      if (times++ > 0) return stop(ref, options);
      world.clock.advance(1_200_000); // the machine slept with the request on its way
      await recoverDonor(recoveryIntent(world.donor.computerName, 'g'), world.ref, 'colleague', engineDeps(world));
      return stop(ref, options);
    };
    await world.run().catch((error: unknown) => expect(error).toBeInstanceOf(UserError));
    expect([...donorViolations(world, found), ...modelViolations(world)]).toEqual([]);
  });

  it('is not sent after the machine slept and another run took the pool; the donor is restored when that has ended', async () => {
    const world = lab();
    const found = readDonorState(world);
    const orders: number[] = [];
    const record = () => void orders.push(world.clock.nowMs());
    let heldUntilMs = 0;
    afterCall(world.cluster, 'runOnNode', () => {
      world.clock.advance(20 * 60_000);
      const lease = { holder: 'other', renewedMs: world.clock.nowMs(), durationMs: 3_600_000, note: 'n' };
      heldUntilMs = lease.renewedMs + lease.durationMs;
      world.cluster.leases.set(leaseName(POOL_REF), lease);
      for (const name of ['stop', 'start', 'tagInstance', 'setProtection'] as const)
        afterCall(world.provider.pools, name, record);
      afterCall(world.cluster, 'changeNode', record);
    });
    await failure(world.run());
    expect(orders.length).toBeGreaterThan(0);
    expect(Math.min(...orders)).toBeGreaterThanOrEqual(heldUntilMs);
    expect(donorViolations(world, found)).toEqual([]);
  });
});

describe('a donor that is scaled in after its disk was copied', () => {
  const killed = async (): Promise<Lab> => {
    const world = lab();
    await world.run(new Dial('crash-after', await callOf('beginVersion')), 'first').catch(onlyCrash);
    const pool = world.provider.state.pools.get(world.ref.pool.id)!;
    pool.instances = pool.instances.filter((instance) => instance !== world.donor);
    world.cluster.nodes.delete(world.donor.computerName);
    world.clock.advance(16 * 60_000);
    return world;
  };
  const takeOther = (world: Lab, isDonorChosen: boolean) => {
    const other = world.provider.state.pools.get(world.ref.pool.id)!.instances[0]!;
    const intent = { ...world.intent, nodeName: other.computerName, isDonorChosen };
    return { other, intent, ref: { pool: world.ref.pool, id: other.ref.id } };
  };

  it('has its version finished by a run that chose another node, which stays in service', async () => {
    const world = await killed();
    const { intent, ref, other } = takeOther(world, true);
    const { steps, version } = await runPrototype(intent, ref, 'second', engineDeps(world));
    expect(version).toBe(world.intent.version);
    expect(steps).toEqual(expect.arrayContaining(['switch-model', 'delete-snapshot']));
    expect(steps).not.toContain('cordon');
    expect(other.power).toBe('running');
    expect(modelViolations(world)).toEqual([]);
  });

  it('does not block a run of another node on the next day', async () => {
    const world = await killed();
    world.provider.state.versions.clear(); // its version was never made
    world.clock.advance(24 * 3_600_000);
    const { intent, ref, other } = takeOther(world, false);
    const { steps } = await runPrototype({ ...intent, version: '2026.11.16' }, ref, 'second', {
      ...engineDeps(world),
      seal: async () => {
        other.isSealed = true;
      },
    });
    expect(steps).toEqual(expect.arrayContaining(['discard-snapshot', 'cordon', 'switch-model']));
    expect(modelViolations(world)).toEqual([]);
  });
});

describe('a version that fails late', () => {
  it('is given up after three builds, each failure told with its reason', async () => {
    const world = lab();
    const found = readDonorState(world);
    const builds: number[] = [];
    const failed = 'the source blob is gone';
    afterCall(world.provider.gallery, 'beginVersion', () => void builds.push(world.clock.nowMs()));
    const { listVersions, readVersion } = world.provider.gallery;
    const seen = <V extends { createdMs: number }>(version: V) =>
      world.clock.nowMs() - version.createdMs > 60_000
        ? { ...version, state: 'failed' as const, failure: failed }
        : version;
    world.provider.gallery.listVersions = async (d) => (await listVersions(d)).map(seen);
    world.provider.gallery.readVersion = async (d, name) => {
      const version = await readVersion(d, name);
      return version && seen(version);
    };
    const events: RunEvent[] = [];
    const startedMs = world.clock.nowMs();
    const error = await failure(
      runPrototype(
        world.intent,
        world.ref,
        'run',
        engineDeps(world, (event) => void events.push(event)),
      ),
    );
    expect(builds).toHaveLength(3);
    expect(error.message).toContain(failed);
    expect(world.clock.nowMs() - startedMs).toBeLessThan(3_600_000);
    expect(events.filter((event) => event.event === 'problem')).toHaveLength(3);
    expect([...donorViolations(world, found), ...modelViolations(world)]).toEqual([]);
  });
});

describe('rights that are missing for a while', () => {
  it('do not leave the donor off', async () => {
    const world = lab();
    const found = readDonorState(world);
    const { start } = world.provider.pools;
    let refused = 0;
    world.provider.pools.start = async (ref, options) => {
      if (refused++ < 4) throw new Forbidden('no right to start');
      return start(ref, options);
    };
    await world.run();
    expect(refused).toBe(5);
    expect(donorViolations(world, found)).toEqual([]);
  });

  it('do not leave the donor off if they hit the observation on the way back', async () => {
    const world = lab();
    const found = readDonorState(world);
    const { readInstance } = world.provider.pools;
    let refused = 0;
    world.provider.pools.readInstance = async (ref) => {
      if (world.donor.power === 'stopped' && refused++ < 4) throw new Forbidden('no right to read');
      return readInstance(ref);
    };
    const error = await failure(world.run());
    expect(error.code).toBe('vms/forbidden');
    expect(donorViolations(world, found)).toEqual([]);
  });
});

describe('a donor that never becomes Ready again', () => {
  it('is returned to its state all the same, and the run says so within an hour', async () => {
    const world = lab();
    const found = readDonorState(world);
    const { readNode } = world.cluster;
    let isLost = false;
    afterCall(world.provider.pools, 'stop', () => {
      isLost = true;
    });
    world.cluster.readNode = async (name) => {
      const node = await readNode(name);
      return node && isLost ? { ...node, isReady: false } : node;
    };
    const startedMs = world.clock.nowMs();
    const error = await failure(world.run());
    expect(error.code).toBe('prototype/donor-not-ready');
    expect(world.clock.nowMs() - startedMs).toBeLessThan(3_600_000);
    expect(donorViolations(world, found)).toEqual([]);
    expect(world.provider.state.versions.size).toBe(0);
  });
});

describe('versions beyond the history', () => {
  it('cost one search for references before they are pruned, not one at every look', async () => {
    const world = lab();
    for (const day of [11, 12, 13, 14]) {
      await world.run(new Dial(), `run-${day}`);
      const version = world.provider.state.versions.get([...world.provider.state.versions.keys()].at(-1)!)!;
      world.provider.state.versions.delete(version.id);
      const moved = { ...version, name: `2026.11.${day}`, id: version.id.replace(version.name, `2026.11.${day}`) };
      world.provider.state.versions.set(moved.id, moved);
      world.provider.state.pools.get(world.ref.pool.id)!.model.image = { kind: 'version', id: moved.id };
    }
    const dial = new Dial();
    await world.run(dial, 'last');
    expect(dial.names.filter((name) => name === 'deleteVersion').length).toBeGreaterThan(0);
    expect(dial.names.filter((name) => name === 'referencedImages').length).toBeLessThanOrEqual(3);
  });
});

function onlyCrash(error: unknown): void {
  if (!(error instanceof Crash) && !(error instanceof UserError && error.code === 'prototype/donor-out')) throw error;
}

/** The index of the first call of that name in a run without faults. */
async function callOf(name: string): Promise<number> {
  const dial = new Dial();
  await lab().run(dial);
  return dial.names.indexOf(name);
}
