import { describe, expect, it } from 'vitest';
import type { Snapshot } from '../../../vms/snapshots.ts';
import { TAGS } from '../../names.ts';
import { lab } from '../../testing.ts';
import { observeWorld } from '../observe.ts';
import type { Scene } from '../scene.ts';
import { discardSnapshot } from './discard-snapshot.ts';

const world = lab();
const { provider, cluster, clock, intent, donor } = world;
const { signal } = new AbortController();
const seen = await observeWorld(intent, world.ref, { ...provider, cluster, clock, signal });

const snapshot = (name: string, version: string, state: Snapshot['state'] = 'complete'): Snapshot => ({
  ...{ name, id: `/${name}`, state, percent: 100, sourceDiskId: 'd', createdMs: 0 },
  tags: { [TAGS.donor]: intent.nodeName, [TAGS.donorVmId]: donor.vmId, [TAGS.version]: version, [TAGS.sealed]: 'r' },
});
const version = (name: string) => ({
  ...({ name, id: `/v/${name}`, state: 'ready', percent: 100, isExcludedFromLatest: false, replicas: 1 } as const),
  ...({ redundancy: 'zone', sizeGb: 1, createdMs: 0, tags: {} } as const),
});
const scene = (change: Partial<Scene['world']>, isAborting = false): Scene => ({
  world: { ...seen, ...change },
  intent,
  run: { id: 'run-1', isAborting },
});
const leftover = snapshot('usual', '2020.1.1');

async function deletedBy(at: Scene): Promise<string[]> {
  const deleted: string[] = [];
  const snapshots = { ...provider.snapshots, deleteSnapshot: async (name: string) => void deleted.push(name) };
  const deps = {
    ...provider,
    snapshots,
    cluster,
    clock,
    signal,
    onWaiting: () => undefined,
    seal: async () => undefined,
  };
  await discardSnapshot.apply(at, deps);
  return deleted;
}

describe('discarding a snapshot', () => {
  it.each([
    ['nothing', scene({}), false],
    ['a failed one', scene({ snapshot: snapshot('s', intent.version, 'failed') }), true],
    ['a usable one', scene({ snapshot: snapshot('s', intent.version) }), false],
    ['a leftover', scene({ leftover }), true],
    ['a leftover in a run that only restores its donor', scene({ leftover }, true), false],
  ])('of %s', (_what, at, expected) => {
    expect(discardSnapshot.isNeeded(at) && !discardSnapshot.isDone(at)).toBe(expected);
  });

  it('may fail for a leftover, but not for one that has the name of the next', () => {
    expect(discardSnapshot.isOptional?.(scene({ leftover }))).toBe(true);
    const failed = snapshot('s', intent.version, 'failed');
    expect(discardSnapshot.isOptional?.(scene({ leftover, snapshot: failed }))).toBe(false);
  });

  it('deletes the one with the usual name last, and never the one that this run uses', async () => {
    const versions = [version('2020.1.1'), version('2020.1.2')];
    expect(await deletedBy(scene({ leftover, versions }))).toEqual(['usual-2020.1.1', 'usual-2020.1.2', 'usual']);
    const used = snapshot(`usual-${intent.version}`, intent.version);
    const all = [...versions, version(intent.version)];
    expect(await deletedBy(scene({ leftover, versions: all, snapshot: used }))).not.toContain(used.name);
    const failed = snapshot('s', intent.version, 'failed');
    expect(await deletedBy(scene({ leftover, snapshot: failed }))).toEqual(['s']);
  });
});
