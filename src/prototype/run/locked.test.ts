// A lock that forbids deletions: runs end with warnings, every day makes its version, and the leftovers go with the lock.
import { describe, expect, it } from 'vitest';
import { versionOfDay } from '../../base/clock.ts';
import { type Lab, lab } from '../testing.ts';
import { type RunResult, runPrototype } from './engine.ts';
import { donorViolations, modelViolations, readDonorState } from './invariants.testing.ts';

const DAY_MS = 24 * 3_600_000;

function lockedLab(): Lab {
  const world = lab();
  world.provider.isDeleteLocked = true;
  world.intent.imageHistory = 1;
  return world;
}

/** A run of the next day. */
async function nextDay(world: Lab): Promise<RunResult> {
  world.clock.advance(DAY_MS);
  world.intent.version = versionOfDay(world.clock.nowMs());
  world.donor.isSealed = false;
  return world.run();
}

const modelOf = ({ provider }: Lab) => [...provider.state.pools.values()][0]!.model.image;
const versionsOf = ({ provider }: Lab) => [...provider.state.versions.values()].map(({ name }) => name).sort();
const snapshotsOf = ({ provider }: Lab) => [...provider.state.snapshots.keys()];

describe('a run in a group where nothing can be deleted', () => {
  it('succeeds, and warns of the snapshot that stays', async () => {
    const world = lockedLab();
    const found = readDonorState(world);
    const { version, warnings } = await world.run();
    expect(warnings).toEqual([expect.stringMatching(/^delete the snapshot: .*headstart-pool1.*locked/)]);
    expect(modelOf(world)).toMatchObject({ id: expect.stringContaining(version) });
    expect(snapshotsOf(world)).toHaveLength(1);
    expect([...donorViolations(world, found), ...modelViolations(world)]).toEqual([]);
  });

  it('makes a new version on each of the next days all the same', async () => {
    const world = lockedLab();
    const found = readDonorState(world);
    const days = [(await world.run()).version];
    for (let day = 0; day < 3; day++) {
      const { version, warnings } = await nextDay(world);
      days.push(version);
      expect(version).toBe(world.intent.version);
      expect(modelOf(world)).toMatchObject({ id: expect.stringContaining(version) });
      expect(warnings.join()).toMatch(/delete the snapshot/);
      expect([...donorViolations(world, found), ...modelViolations(world)]).toEqual([]);
    }
    expect(new Set(days).size).toBe(4);
    expect(versionsOf(world)).toEqual(days);
    expect(snapshotsOf(world)).toHaveLength(4);
  });

  it('names old versions that stay', async () => {
    const world = lockedLab();
    await world.run();
    const { version: old } = world.intent;
    for (const instance of [...world.provider.state.pools.values()][0]!.instances) delete instance.image;
    expect((await nextDay(world)).warnings.join()).toContain(old);
  });

  it('does nothing but report again when it is repeated on the same day', async () => {
    const world = lockedLab();
    const { version } = await world.run();
    world.clock.advance(3_600_000);
    const again = await world.run();
    expect(again.version).toBe(version);
    expect(versionsOf(world)).toEqual([version]);
  });

  it('is followed by one that deletes all leftovers, once the lock is gone', async () => {
    const world = lockedLab();
    await world.run();
    await nextDay(world);
    await nextDay(world);
    world.provider.isDeleteLocked = false;
    const { version, warnings } = await nextDay(world);
    expect(warnings).toEqual([]);
    expect(snapshotsOf(world)).toEqual([]);
    expect(versionsOf(world)).toEqual([version]);
  });

  it('of another donor works on the next day too', async () => {
    const world = lockedLab();
    await world.run();
    const other = [...world.provider.state.pools.values()][0]!.instances[1]!;
    world.clock.advance(DAY_MS);
    const version = versionOfDay(world.clock.nowMs());
    const intent = { ...world.intent, version, nodeName: other.computerName };
    const result = await runPrototype(intent, other.ref, 'other', {
      ...world.provider,
      cluster: world.cluster,
      clock: world.clock,
      signal: new AbortController().signal,
      onEvent: () => undefined,
      seal: async () => {
        other.isSealed = true;
      },
    });
    expect(result.version).toBe(version);
    expect(modelViolations(world)).toEqual([]);
  });
});

describe('a snapshot whose run is not finished', () => {
  it('is not a leftover after midnight: its version is finished first', async () => {
    const world = lab();
    const { version } = world.intent;
    const { changeModel } = world.provider.publisher;
    world.provider.publisher.changeModel = async () => {
      throw new Error('the process died');
    };
    await expect(world.run()).rejects.toThrow('the process died');
    world.provider.publisher.changeModel = changeModel;
    expect((await nextDay(world)).version).toBe(version);
    expect(snapshotsOf(world)).toEqual([]);
  });
});
