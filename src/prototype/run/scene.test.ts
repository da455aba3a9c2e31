import { describe, expect, it } from 'vitest';
import type { Version } from '../../vms/gallery.ts';
import type { Snapshot } from '../../vms/snapshots.ts';
import { DONOR_TAG, TAGS } from '../names.ts';
import { lab } from '../testing.ts';
import { observeWorld } from './observe.ts';
import {
  adoptedIntent,
  hasPendingSnapshot,
  hasStrayDonor,
  hasUsableSnapshot,
  isAbandonedSnapshot,
  isLeftover,
  isOfDonor,
  needsCapture,
  ownerOf,
  recoveryIntent,
  type Scene,
  targetVersion,
  targetVersionName,
} from './scene.ts';

const world = lab();
const seen = await observeWorld(world.intent, world.ref, {
  ...world.provider,
  cluster: world.cluster,
  clock: world.clock,
  signal: new AbortController().signal,
});
const scene = (change: Partial<Scene['world']> = {}, isAborting = false): Scene => ({
  world: { ...seen, ...change },
  intent: world.intent,
  run: { id: 'run-1', isAborting },
});
const tags = { [TAGS.donor]: world.intent.nodeName, [TAGS.donorVmId]: world.donor.vmId, [TAGS.sealed]: 'run-0' };
const snapshot = (version: string, state: Snapshot['state'] = 'complete'): Snapshot => ({
  ...{ name: 's', id: '/s', percent: 100, sourceDiskId: 'd', createdMs: 0, state },
  tags: { ...tags, [TAGS.version]: version },
});
const version = (name: string, state: Version['state']): Version => ({
  ...{ name, id: `/v/${name}`, state, percent: 0, isExcludedFromLatest: true, replicas: 1, redundancy: 'zone' },
  ...{ sizeGb: 1, createdMs: 0, tags },
});
const { version: today } = world.intent;

describe('the version that a run makes', () => {
  it("is today's, unless a snapshot's version is in progress, which is then finished", () => {
    expect(targetVersionName(scene())).toBe(today);
    const begun = { snapshot: snapshot('2020.1.1'), versions: [version('2020.1.1', 'creating')] };
    expect(targetVersionName(scene(begun))).toBe('2020.1.1');
    expect(targetVersion(scene(begun))?.state).toBe('creating');
  });

  it.each([
    ['was never begun', []],
    ['failed', [version('2020.1.1', 'failed')]],
  ])("is today's if the snapshot's version %s", (_why, versions) => {
    const old = scene({ snapshot: snapshot('2020.1.1'), versions });
    expect([targetVersionName(old), hasUsableSnapshot(old), needsCapture(old)]).toEqual([today, false, true]);
  });
});

describe('a snapshot of an earlier day', () => {
  const old = '2020.1.1';
  const image = { kind: 'version', id: `/V/${old}` } as const;
  const made = version(old, 'ready');

  it.each([
    ['whose version was never begun', [], undefined, true],
    ['whose version failed', [version(old, 'failed')], undefined, true],
    ['whose version is being made', [version(old, 'creating')], undefined, false],
    ['whose version is being replicated', [version(old, 'replicating')], undefined, false],
    ['whose version is ready and not published', [made], undefined, false],
    ['whose version is in the model', [made], image, true],
    ['whose version is included in latest', [{ ...made, isExcludedFromLatest: false }], undefined, true],
    ['whose version was rolled back', [{ ...made, tags: { 'headstart-bad': 'rolled back' } }], undefined, true],
  ])('%s', (_which, versions, inModel, expected) => {
    expect(isLeftover(snapshot(old), versions, { today, ...(inModel && { image: inModel }) })).toBe(expected);
  });

  it('is only one of an earlier day, and only one of ours', () => {
    expect(isLeftover(snapshot(today), [version(today, 'ready')], { today, image })).toBe(false);
    expect(isLeftover(snapshot('2999.1.1'), [], { today })).toBe(false);
    expect(isLeftover({ tags: {} }, [], { today })).toBe(false);
  });
});

describe('a capture', () => {
  it('is needed until there is a version or a snapshot for it', () => {
    expect(needsCapture(scene())).toBe(true);
    expect(needsCapture(scene({ versions: [version(today, 'failed')] }))).toBe(true);
    expect(needsCapture(scene({ versions: [version(today, 'replicating')] }))).toBe(false);
    expect(needsCapture(scene({ snapshot: snapshot(today) }))).toBe(false);
  });

  it('is not needed while its copy is pending or the run is aborting', () => {
    const coming = scene({ snapshot: snapshot(today, 'creating') });
    expect([hasPendingSnapshot(coming), hasUsableSnapshot(coming), needsCapture(coming)]).toEqual([true, false, false]);
    expect(needsCapture(scene({}, true))).toBe(false);
  });
});

describe('a snapshot without the mark of a seal', () => {
  it('is neither usable nor pending', () => {
    const { [TAGS.sealed]: _, ...unsealed } = snapshot(today).tags;
    for (const state of ['complete', 'creating'] as const) {
      const old = scene({ snapshot: { ...snapshot(today, state), tags: unsealed } });
      expect([hasPendingSnapshot(old), hasUsableSnapshot(old), needsCapture(old)]).toEqual([false, false, true]);
    }
  });
});

describe("another donor's snapshot", () => {
  const others = (name: string, state: Snapshot['state'] = 'complete'): Snapshot => {
    const taken = snapshot(name, state);
    return { ...taken, tags: { ...taken.tags, [TAGS.donor]: 'other', [TAGS.donorVmId]: 'vm-of-other' } };
  };
  const isSnapshotDonorGone = true;

  it.each<[string, Partial<Scene['world']>, boolean]>([
    ['of today is left to its donor', { snapshot: others(today) }, false],
    ['of today is of no use if its donor was deleted', { snapshot: others(today), isSnapshotDonorGone }, true],
    ['of an earlier day is of no use', { snapshot: others('2020.1.1') }, true],
    ['of a later day is left alone: this clock may be behind', { snapshot: others('2090.1.1') }, false],
    ['that failed is of no use', { snapshot: others(today, 'failed') }, true],
    [
      'whose version is being made is needed',
      { snapshot: others('2020.1.1'), versions: [version('2020.1.1', 'creating')], isSnapshotDonorGone },
      false,
    ],
    [
      'whose version is ready is of no use',
      { snapshot: others('2020.1.1'), versions: [version('2020.1.1', 'ready')] },
      true,
    ],
  ])('%s', (_name, seenNow, isAbandoned) => {
    expect(isAbandonedSnapshot(scene(seenNow))).toBe(isAbandoned);
  });

  it('is finished by a run that chose its donor, if the other was deleted', () => {
    const adopt = (change: Partial<Scene['world']>, intent: Partial<Scene['intent']> = { isDonorChosen: true }) => {
      const now = scene(change);
      return adoptedIntent({ ...now, intent: { ...now.intent, ...intent } });
    };
    const gone = { snapshot: others(today), isSnapshotDonorGone };
    expect(adopt(gone)).toMatchObject({ nodeName: 'other', version: today, isDonorGone: true });
    const begun = { snapshot: others('2020.1.1', 'creating'), versions: [version('2020.1.1', 'replicating')] };
    expect(adopt({ ...begun, isSnapshotDonorGone })).toMatchObject({ nodeName: 'other', version: '2020.1.1' });
    const ready = { snapshot: others('2020.1.1'), versions: [version('2020.1.1', 'ready')] };
    expect(adopt({ ...ready, isSnapshotDonorGone })).toBeUndefined();
    expect(adopt(gone, {})).toBeUndefined();
    expect(adopt({ snapshot: others(today) })).toBeUndefined();
    expect(adopt({ snapshot: others('2020.1.1'), isSnapshotDonorGone })).toBeUndefined();
    expect(adopt({ snapshot: others(today, 'failed'), isSnapshotDonorGone })).toBeUndefined();
    expect(adopt({ snapshot: snapshot(today), isSnapshotDonorGone })).toBeUndefined();
  });
});

describe('isOfDonor', () => {
  it('compares name and machine: a recreated machine of the same name is another donor', () => {
    expect(isOfDonor(tags, scene())).toBe(true);
    expect(isOfDonor({ ...tags, [TAGS.donor]: 'other' }, scene())).toBe(false);
    const remade = { ...tags, [TAGS.donorVmId]: 'another-vm' };
    expect(isOfDonor(remade, scene())).toBe(false);
    expect(ownerOf(remade, scene())).toBe(`an earlier machine called ${world.intent.nodeName}`);
    expect(ownerOf({ [TAGS.donor]: 'other' }, scene())).toBe('other');
  });

  it('compares only the name if a machine is unknown', () => {
    expect(isOfDonor({ [TAGS.donor]: world.intent.nodeName }, scene())).toBe(true);
    expect(isOfDonor(tags, scene({ donor: undefined }))).toBe(true);
  });
});

describe('a stray donor', () => {
  const marked = (run: string) => ({ donor: { ...seen.donor!, tags: { [DONOR_TAG]: `${run} 00` } } });

  it('is a donor that another run left out of service, even if only its instance is tagged', () => {
    expect(hasStrayDonor(scene())).toBe(false);
    expect(hasStrayDonor(scene(marked('run-0')))).toBe(true);
    expect(hasStrayDonor(scene(marked('run-1')))).toBe(false);
  });

  it('is restored with an intent that refuses nothing and prunes nothing', () => {
    expect(recoveryIntent('n', 'g')).toMatchObject({ mayBeManaged: true, imageHistory: Number.POSITIVE_INFINITY });
  });
});
