import { describe, expect, it } from 'vitest';
import { Refused } from '../../../base/failures.ts';
import type { SnapshotSpec } from '../../../vms/snapshots.ts';
import { DRAINED_ANNOTATION, SEALED_ANNOTATION, TAGS } from '../../names.ts';
import { lab } from '../../testing.ts';
import { observeWorld } from '../observe.ts';
import { type Scene, sealMark } from '../scene.ts';
import type { StepDeps } from '../step.ts';
import { takeSnapshot } from './take-snapshot.ts';

const run = { id: 'run-1', isAborting: false };

async function prepared(change: { marks?: Record<string, string>; power?: 'running' | 'unknown' } = {}) {
  const world = lab();
  world.donor.power = change.power ?? 'stopped';
  const marks = { [DRAINED_ANNOTATION]: run.id, [SEALED_ANNOTATION]: sealMark(run, world.donor), ...change.marks };
  world.cluster.touch(world.donor.computerName, { annotations: marks });
  const taken: SnapshotSpec[] = [];
  world.provider.snapshots.createSnapshot = async (spec) => void taken.push(spec);
  const deps: StepDeps = {
    ...world.provider,
    cluster: world.cluster,
    clock: world.clock,
    signal: new AbortController().signal,
    onWaiting: () => undefined,
    seal: async () => undefined,
  };
  const scene: Scene = { world: await observeWorld(world.intent, world.ref, deps), intent: world.intent, run };
  return { world, scene, deps, taken };
}

describe('takeSnapshot', () => {
  it('copies the disk of a donor that this run drained, sealed and stopped, and tags the copy', async () => {
    const { world, scene, deps, taken } = await prepared();
    await takeSnapshot.apply(scene, deps);
    expect(taken).toMatchObject([
      {
        sourceDiskId: world.donor.osDisk!.id,
        tags: { [TAGS.donor]: world.donor.computerName, [TAGS.run]: 'run-1', [TAGS.sealed]: 'run-1' },
      },
    ]);
  });

  it.each([
    ['was not drained by this run', { marks: { [DRAINED_ANNOTATION]: 'another-run' } }],
    ['was not sealed by this run', { marks: { [SEALED_ANNOTATION]: 'another-run /disks/pool1-1' } }],
    ['was sealed on another disk', { marks: { [SEALED_ANNOTATION]: 'run-1 /disks/replaced' } }],
    ['still runs', { power: 'running' as const }],
    ['has an unknown power state', { power: 'unknown' as const }],
  ])('refuses a donor that %s', async (_name, change) => {
    const { scene, deps, taken } = await prepared(change);
    await expect(takeSnapshot.apply(scene, deps)).rejects.toMatchObject({
      constructor: Refused,
      code: 'prototype/not-sealed',
    });
    expect(taken).toEqual([]);
  });

  it('refuses a donor without a managed disk', async () => {
    const { scene, deps } = await prepared();
    const { osDisk: _, ...donor } = scene.world.donor!;
    await expect(takeSnapshot.apply({ ...scene, world: { ...scene.world, donor } }, deps)).rejects.toBeInstanceOf(
      Refused,
    );
  });
});
