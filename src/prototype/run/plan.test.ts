// The planner on random states: the next step is always safe.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Node } from '../../cluster/cluster.ts';
import type { Version } from '../../vms/gallery.ts';
import type { Instance, Pool } from '../../vms/pools.ts';
import type { Snapshot } from '../../vms/snapshots.ts';
import { DONOR_TAG, DRAINED_ANNOTATION, PRIOR_ANNOTATION, SEALED_ANNOTATION, TAGS } from '../names.ts';
import { lab } from '../testing.ts';
import { CAPTURE, PIPELINE, PUBLISH, RESTORE } from './pipeline.ts';
import { nextStep, planSteps } from './plan.ts';
import { refusals } from './preflight.ts';
import { donorMark, guardChange, readPrior } from './prior.ts';
import { hasStrayDonor, isAbandonedSnapshot, type Scene, targetVersion } from './scene.ts';
import { isSwitched } from './steps/switch-model.ts';

const base = lab();
const { customData: _, instances, ...pool } = base.provider.state.pools.get(base.ref.pool.id)!;
const donor: Instance = instances[0]!;
const node: Node = base.cluster.nodes.get(donor.computerName)!;
const definition = {
  ...{ gallery: base.intent.gallery, name: 'd', id: '/g/d', publisher: 'p', offer: 'o', sku: 's' },
  ...{
    osState: 'generalized' as const,
    generation: 'V2' as const,
    architecture: 'x64' as const,
    securityType: 'Standard' as const,
  },
};

const runs = fc.constantFrom('this-run', 'dead-run');
const disks = fc.constantFrom(donor.osDisk!.id, '/disks/replaced');
const donors = fc.constantFrom(donor.computerName, 'pool1-000099');
const prior = (run: string) =>
  JSON.stringify({
    run,
    instanceId: '1',
    vmId: donor.vmId,
    isUnschedulable: false,
    annotations: {},
    protection: donor.protection,
  });

const anyNode: fc.Arbitrary<Node | undefined> = fc.option(
  fc
    .record({
      ...{ isReady: fc.boolean(), isUnschedulable: fc.boolean(), isGuarded: fc.boolean() },
      ...{ prior: fc.option(runs), drained: fc.option(runs), sealed: fc.option(runs), disk: disks },
    })
    .map(({ isReady, isUnschedulable, isGuarded, prior: run, drained, sealed, disk }) => ({
      ...node,
      isReady,
      isUnschedulable,
      annotations: {
        ...(isGuarded && guardChange().annotations),
        ...(run && { [PRIOR_ANNOTATION]: prior(run) }),
        ...(drained && { [DRAINED_ANNOTATION]: drained }),
        ...(sealed && { [SEALED_ANNOTATION]: `${sealed} ${disk}` }),
      } as Record<string, string>,
    })),
  { nil: undefined },
);
const anyDonor: fc.Arbitrary<Instance | undefined> = fc.option(
  fc
    .record({
      power: fc.constantFrom(
        'running' as const,
        'stopped' as const,
        'deallocated' as const,
        'starting' as const,
        'unknown' as const,
      ),
      mark: fc.option(runs),
      isProtected: fc.boolean(),
    })
    .map(({ power, mark, isProtected }) => ({
      ...donor,
      power,
      protection: { fromScaleIn: isProtected, fromPoolActions: isProtected },
      tags: mark
        ? { [DONOR_TAG]: donorMark({ ...readPrior({ ...node, annotations: { [PRIOR_ANNOTATION]: prior(mark) } })! }) }
        : {},
    })),
  { nil: undefined },
);
const anySnapshot: fc.Arbitrary<Snapshot | undefined> = fc.option(
  fc
    .record({
      state: fc.constantFrom('creating' as const, 'complete' as const, 'failed' as const),
      owner: donors,
      run: runs,
      day: fc.integer({ min: 14, max: 15 }),
      isSealed: fc.boolean(),
    })
    .map(({ state, owner, run, day, isSealed }) => ({
      ...{ name: 's', id: '/s', state, percent: 0, sourceDiskId: '/d', createdMs: 0 },
      tags: {
        [TAGS.donor]: owner,
        [TAGS.run]: run,
        [TAGS.version]: `2026.11.${day}`,
        ...(isSealed && { [TAGS.sealed]: run }),
      },
    })),
  { nil: undefined },
);
const anyVersions: fc.Arbitrary<Version[]> = fc.uniqueArray(
  fc
    .record({
      day: fc.integer({ min: 10, max: 15 }),
      state: fc.constantFrom(
        'creating' as const,
        'replicating' as const,
        'ready' as const,
        'failed' as const,
        'deleting' as const,
      ),
      isExcludedFromLatest: fc.boolean(),
      owner: donors,
    })
    .map(({ day, state, isExcludedFromLatest, owner }) => ({
      ...{ name: `2026.11.${day}`, id: `/g/d/versions/2026.11.${day}`, state, percent: 0, isExcludedFromLatest },
      ...{ replicas: 3, redundancy: 'zone' as const, sizeGb: 30, createdMs: 0, tags: { [TAGS.donor]: owner } },
    })),
  { selector: (v) => v.name, maxLength: 5 },
);
const anyPool: fc.Arbitrary<Pool> = fc
  .record({ isSwitched: fc.boolean(), hasBootstrap: fc.boolean(), hasScripts: fc.boolean() })
  .map(({ isSwitched: onVersion, hasBootstrap, hasScripts }) => ({
    ...pool,
    model: {
      ...pool.model,
      ...(onVersion && { image: { kind: 'version' as const, id: '/G/D/versions/2026.11.15' } }),
      bootstrap: hasBootstrap ? ('unknown' as const) : ('none' as const),
      extensions: hasScripts ? pool.model.extensions : pool.model.extensions.slice(1),
    },
  }));

const anyScene: fc.Arbitrary<Scene> = fc
  .record({
    ...{ node: anyNode, donor: anyDonor, snapshot: anySnapshot, versions: anyVersions, pool: anyPool },
    ...{
      pods: fc.boolean(),
      saved: fc.constantFrom('none', 'current', 'stale'),
      savedBy: fc.constantFrom('this-run', 'another-run'),
      hasDefinition: fc.boolean(),
      isAborting: fc.boolean(),
      looked: fc.boolean(),
    },
  })
  .map((seen) => ({
    world: {
      nowMs: 0,
      pool: seen.pool,
      node: seen.node,
      donor: seen.donor,
      podsToMove: seen.pods ? base.cluster.pods : [],
      podsRefused: [],
      lease: undefined,
      definition: seen.hasDefinition ? definition : undefined,
      versions: seen.hasDefinition ? seen.versions : [],
      snapshot: seen.snapshot,
      savedModel: seen.saved === 'none' ? { state: 'none' } : { state: seen.saved, run: seen.savedBy },
      references: seen.looked ? new Set<string>() : undefined,
    },
    intent: { ...base.intent, version: '2026.11.15' },
    run: { id: 'this-run', isAborting: seen.isAborting },
  }));

const check = (property: (scene: Scene) => void) => fc.assert(fc.property(anyScene, property), { numRuns: 5000 });

describe('nextStep, in any state', () => {
  it('returns one step or none, and the plan agrees', () => {
    check((scene) => {
      const next = nextStep(scene);
      expect(planSteps(scene).filter((step) => step.state === 'next')).toHaveLength(next ? 1 : 0);
      expect(planSteps(scene)).toHaveLength(PIPELINE.length);
    });
  });

  it('only restores the donor if another run left it out of service or the run is aborting', () => {
    check((scene) => {
      const next = nextStep(scene);
      const due = RESTORE.some((step) => step.isNeeded(scene) && !step.isDone(scene));
      if ((hasStrayDonor(scene) || scene.run.isAborting) && due) expect(RESTORE).toContain(next);
      if (scene.run.isAborting && next) expect(RESTORE).toContain(next);
    });
  });

  it('publishes nothing while the donor is out of service', () => {
    check((scene) => {
      const next = nextStep(scene);
      if (next && PUBLISH.includes(next) && scene.world.donor) expect(readPrior(scene.world.node)).toBeUndefined();
    });
  });

  it('stops a donor only after it was recorded, guarded, cordoned, drained and sealed', () => {
    check((scene) => {
      const { world } = scene;
      if (nextStep(scene)?.id !== 'stop-donor' || refusals(scene).length > 0) return;
      expect(readPrior(world.node)?.run).toBe('this-run');
      expect(world.node!.isUnschedulable).toBe(true);
      expect(world.podsToMove).toEqual([]);
      expect(world.node!.annotations[DRAINED_ANNOTATION]).toBe('this-run');
      expect(world.node!.annotations[SEALED_ANNOTATION]).toBe(`this-run ${donor.osDisk!.id}`);
    });
  });

  it('copies the disk only of a donor that this run drained and sealed and that is off', () => {
    let copies = 0;
    const marks = {
      ...{ [PRIOR_ANNOTATION]: prior('this-run'), ...guardChange().annotations },
      ...{ [DRAINED_ANNOTATION]: 'this-run', [SEALED_ANNOTATION]: `this-run ${donor.osDisk!.id}` },
    };
    const tags = { [DONOR_TAG]: donorMark(readPrior({ ...node, annotations: marks as Record<string, string> })!) };
    const nearlyReady = fc
      .record({
        scene: anyScene,
        missing: fc.subarray(Object.keys(marks)),
        power: fc.constantFrom('running', 'stopped', 'deallocated', 'starting', 'stopping', 'unknown') as fc.Arbitrary<
          Instance['power']
        >,
      })
      .map(({ scene, missing, power }): Scene => {
        const annotations = Object.fromEntries(Object.entries(marks).filter(([key]) => !missing.includes(key)));
        const protection = { fromScaleIn: true, fromPoolActions: true };
        const seen = { definition, versions: [], snapshot: undefined, hasSavedModel: true };
        const out = { ...node, isUnschedulable: true, annotations: annotations as Record<string, string> };
        const world = { ...scene.world, ...seen, node: out, donor: { ...donor, power, protection, tags } };
        return { ...scene, world, run: { id: 'this-run', isAborting: false } };
      });
    const property = (scene: Scene) => {
      const { world } = scene;
      if (nextStep(scene)?.id !== 'take-snapshot' || refusals(scene).length > 0) return;
      copies++;
      expect(['stopped', 'deallocated']).toContain(world.donor!.power);
      expect(world.node!.annotations[DRAINED_ANNOTATION]).toBe('this-run');
      expect(world.node!.annotations[SEALED_ANNOTATION]).toBe(`this-run ${donor.osDisk!.id}`);
    };
    fc.assert(fc.property(fc.oneof(anyScene, nearlyReady), property), { numRuns: 5000 });
    expect(copies).toBeGreaterThan(20);
  });

  it('switches the model only to a version that is created and replicated', () => {
    check((scene) => {
      if (nextStep(scene)?.id === 'switch-model') expect(targetVersion(scene)?.state).toBe('ready');
    });
  });

  it('prunes the history only after the switch', () => {
    check((scene) => {
      if (nextStep(scene)?.id !== 'prune-versions') return;
      expect(isSwitched(scene)).toBe(true);
    });
  });

  it('neither deletes nor repeats a snapshot that may still become the version', () => {
    check((scene) => {
      const { snapshot } = scene.world;
      const isOurs = snapshot?.tags[TAGS.donor] === scene.intent.nodeName;
      const isOfToday = snapshot?.tags[TAGS.version] === scene.intent.version;
      const isProven = snapshot?.tags[TAGS.sealed] !== undefined;
      if (snapshot?.state === 'failed' || !isOurs || !isOfToday || !isProven || isSwitched(scene)) return;
      expect(['discard-snapshot', 'stop-donor', 'take-snapshot']).not.toContain(nextStep(scene)?.id);
    });
  });

  it('deletes a failed snapshot of this donor before it touches the donor again', () => {
    check((scene) => {
      const { snapshot } = scene.world;
      if (snapshot?.state !== 'failed' || snapshot.tags[TAGS.donor] !== scene.intent.nodeName) return;
      const next = nextStep(scene);
      if (next && next.id !== 'await-snapshot') expect(CAPTURE).not.toContain(next);
    });
  });

  it('polls only in waiting steps', () => {
    const waiting = PIPELINE.filter((step) => step.poll);
    expect(waiting.map(({ id }) => id)).toEqual(['await-snapshot', 'await-ready', 'await-version']);
    expect(waiting.every((step) => step.isWaiting)).toBe(true);
  });

  it("never deletes another donor's snapshot that may still become a version", () => {
    check((scene) => {
      const next = nextStep(scene);
      if (next?.id !== 'discard-snapshot' && next?.id !== 'delete-snapshot') return;
      const { tags } = scene.world.snapshot!;
      if (tags[TAGS.donor] !== scene.intent.nodeName) expect(isAbandonedSnapshot(scene)).toBe(true);
    });
  });

  it('captures nothing from a node that is gone, but waits for its pending snapshot', () => {
    check((scene) => {
      const next = nextStep(scene);
      if (!next || !CAPTURE.includes(next) || (scene.world.node && scene.world.donor)) return;
      if (next.id === 'await-snapshot') expect(scene.world.snapshot?.state).toBe('creating');
      else expect(refusals(scene).map((refusal) => refusal.code)).toContain('prototype/no-donor');
    });
  });
});

describe('planSteps', () => {
  it('lists the restore steps before the run begins', () => {
    const scene: Scene = {
      world: {
        ...{ nowMs: 0, pool, node, donor, podsToMove: [], podsRefused: [], lease: undefined, definition: undefined },
        ...{ versions: [], snapshot: undefined, savedModel: { state: 'none' as const }, references: undefined },
      },
      intent: base.intent,
      run: { id: 'this-run', isAborting: false },
    };
    const states = new Map(planSteps(scene).map((step) => [step.id, step.state]));
    expect(RESTORE.map((step) => states.get(step.id))).toEqual(['later', 'later', 'later', 'later']);
  });
});
