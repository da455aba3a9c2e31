// The simulation itself: it repeats, it shrinks, and it catches processes that break a rule.
import { describe, expect, it } from 'vitest';
import { leaseName, SEALED_ANNOTATION, snapshotName, TAGS } from '../names.ts';
import { POOL } from '../testing.ts';
import type { Action } from './actions.testing.ts';
import { Chance, fraction } from './chance.testing.ts';
import { perform } from './commands.testing.ts';
import { drawCase, type SimCase } from './draw-case.testing.ts';
import { judgeEnd } from './judge-end.testing.ts';
import { type Perform, play } from './play.testing.ts';
import type { SimProcess } from './process.testing.ts';
import { Scheduler } from './scheduler.testing.ts';
import { ruleOf, shrinkCase, tellStory } from './shrink.testing.ts';
import { MINUTE, SECRET, START_MS, World } from './world.testing.ts';

const SETUP = { nodes: 3, oldVersions: 0, cordoned: [], copyingMs: 0, hasZoneRedundancy: true, startsMs: 0 };

function caseOf(actions: Action[] = [], setup = SETUP): SimCase {
  return { seed: 8, setup, command: { node: 0, isReleased: false, imageHistory: 3 }, actions };
}

describe('the scheduler', () => {
  it('runs events by time, and equal times in the order in which they were queued', async () => {
    const scheduler = new Scheduler(0);
    const ran: string[] = [];
    for (const [ms, name] of [
      [5, 'c'],
      [1, 'a'],
      [5, 'd'],
      [2, 'b'],
      [9, 'e'],
    ] as const) {
      scheduler.after(ms, () => ran.push(`${name}${scheduler.nowMs}`));
    }
    while (await scheduler.step());
    expect(ran).toEqual(['a1', 'b2', 'c5', 'd5', 'e9']);
  });

  it('runs all code that awaits an event before the next event', async () => {
    const scheduler = new Scheduler(0);
    const ran: string[] = [];
    const wait = (ms: number) =>
      new Promise<void>((resolve) =>
        scheduler.after(ms, () => {
          scheduler.answered();
          resolve();
        }),
      );
    const deep = async (levels: number): Promise<void> => (levels > 0 ? await deep(levels - 1) : undefined);
    void wait(1)
      .then(() => deep(50))
      .then(() => ran.push('after the first'));
    scheduler.after(2, () => ran.push('second'));
    while (await scheduler.step());
    expect(ran).toEqual(['after the first', 'second']);
  });
});

describe('chance', () => {
  it('depends on the seed alone', () => {
    const numbers = (seed: number) =>
      Array.from(
        { length: 20 },
        (
          (chance) => () =>
            chance.int(0, 99)
        )(new Chance(seed)),
      );
    expect(numbers(1)).toEqual(numbers(1));
    expect(numbers(1)).not.toEqual(numbers(2));
    expect(fraction(1, 'run A', 3)).toBe(fraction(1, 'run A', 3));
    expect(new Set(Array.from({ length: 100 }, (_, i) => fraction(1, 'run A', i))).size).toBe(100);
  });
});

describe('a case', () => {
  it('has the same story each time it is played', async () => {
    for (let seed = 1; seed <= 40; seed++) {
      const [one, two] = [await play(drawCase(seed)), await play(drawCase(seed))];
      expect(tellStory(two)).toBe(tellStory(one));
      expect(two.events).toBe(one.events);
    }
  });

  it('without actors ends well, the next day too', async () => {
    const { violations, story } = await play(caseOf());
    expect(violations).toEqual([]);
    expect(story.filter(({ what }) => what === 'ends well').map(({ who }) => who)).toEqual([
      'run A',
      'run A again',
      'the next run again',
    ]);
  });

  it('is drawn with every kind of action', () => {
    const kinds = new Set<string>();
    for (let seed = 1; seed <= 3000; seed++) for (const { deed } of drawCase(seed).actions) kinds.add(deed.kind);
    expect([...kinds].sort()).toEqual(
      [
        ...[
          'budget',
          'cluster-away',
          'command',
          'cordon',
          'damage-note',
          'damage-tag',
          'delete-node',
          'delete-secret',
          'delete-tag',
        ],
        ...['die', 'evict', 'fail', 'forbid', 'interrupt', 'jump', 'lose-answer', 'maintenance', 'new-recipe'],
        ...['no-capacity', 'power-reads', 'repair', 'scale-in', 'scale-out', 'sleep', 'slow', 'slow-copy'],
        ...['slow-version', 'start', 'stop', 'tag-pool', 'throttle', 'uncordon', 'untag-pool', 'version-fails'],
      ].sort(),
    );
  });
});

/** A process that does what a correct one never does, in place of `run A`. */
function broken(work: (process: SimProcess) => Promise<unknown>): Perform {
  return (command, process) => (process.name === 'run A' ? work(process) : perform(command, process));
}

const REF = { pool: { id: `/pools/${POOL}`, name: POOL }, id: '1' };

async function hold({ site, id }: SimProcess): Promise<void> {
  await site.cluster.holdLease(leaseName(POOL), { holder: id, durationMs: 15 * MINUTE, note: 'test' });
}

async function violationsOf(
  work: (process: SimProcess) => Promise<unknown>,
  actions: Action[] = [],
): Promise<string[]> {
  return (await play(caseOf(actions), broken(work))).violations;
}

describe('a broken process is caught', () => {
  it('that changes the pool without holding it', async () => {
    const violations = await violationsOf(({ site }) => site.provider.pools.tagPool(REF.pool, { team: 'b' }));
    expect(violations).toEqual(['"tagPool" of run A was sent after its hold had ended']);
  });

  it('whose order goes out after another process took the pool', async () => {
    const actions: Action[] = [
      { when: { atMs: 5_000 }, deed: { kind: 'throttle', process: 'run A', order: 'stop', waitMs: 1_200_000 } },
      { when: { atMs: 17 * MINUTE }, deed: { kind: 'slow-copy', takesMs: 20 * MINUTE } },
      {
        when: { atMs: 18 * MINUTE },
        deed: {
          kind: 'command',
          name: 'run B',
          command: { verb: 'run', named: { node: '1' }, isReleased: false, imageHistory: 3 },
        },
      },
    ];
    const violations = await violationsOf(async (process) => {
      await hold(process);
      await process.clock.sleep(10_000);
      await process.site.provider.pools.stop(REF);
    }, actions);
    expect(violations).toEqual(['"stop" of run A was sent while run B held the pool']);
  });

  it('but not if the order has a fence, which the transport keeps', async () => {
    const actions: Action[] = [
      { when: { atMs: 5_000 }, deed: { kind: 'throttle', process: 'run A', order: 'stop', waitMs: 1_200_000 } },
    ];
    const errors: unknown[] = [];
    await violationsOf(async (process) => {
      await hold(process);
      await process.clock.sleep(10_000);
      const options = { signal: process.signal, fence: { leftMs: () => MINUTE } };
      await process.site.provider.pools.stop(REF, options).catch((error: unknown) => errors.push(error));
    }, actions);
    expect(errors).toEqual([expect.objectContaining({ code: 'vms/throttled', retryAfterMs: 1_200_000 })]);
  });

  it('that leaves a machine off', async () => {
    const violations = await violationsOf(async (process) => {
      await hold(process);
      await process.site.provider.pools.stop({ ...REF, id: '3' });
    });
    expect(violations).toEqual(['pool1-000003 was left stopped']);
  });

  it('that makes a version from a disk that it did not seal', async () => {
    const violations = await violationsOf(async (process) => {
      await hold(process);
      const { pools, snapshots, gallery } = process.site.provider;
      await pools.stop(REF);
      const sourceDiskId = (await pools.readInstance(REF))!.osDisk!.id;
      const name = snapshotName(POOL);
      await snapshots.createSnapshot({ name, sourceDiskId, region: 'here', tags: { [TAGS.run]: process.id } });
      const definition = await gallery.ensureDefinition(
        {
          ...{ gallery: process.site.gallery, name: 'd', osState: 'generalized', generation: 'V2' },
          ...{ architecture: 'x64', securityType: 'Standard', publisher: 'p', offer: 'o', sku: 's' },
        },
        'here',
      );
      const version = { definition, name: '2026.11.15', snapshotId: `/snapshots/${name}`, region: 'here' };
      const copies = { replicas: 1, redundancy: 'local', isExcludedFromLatest: true } as const;
      await gallery.beginVersion({ ...version, ...copies, tags: {} });
    });
    expect(violations).toEqual([
      'version 2026.11.15 was made from a disk that was not sealed by the run that copied it',
    ]);
  });

  it('that tells a secret', async () => {
    const violations = await violationsOf(async (process) => {
      process.onEvent({ event: 'waiting', step: 'seal-donor', for: `the data ${SECRET}` });
    });
    expect(violations).toEqual(['an event of run A contains the bootstrap secret']);
  });

  it('that never ends', async () => {
    const violations = await violationsOf(async ({ clock }) => {
      for (;;) await clock.sleep(MINUTE);
    });
    expect(violations).toEqual(['run A has not ended after 5 hours']);
  });

  it('that has a bug', async () => {
    const violations = await violationsOf(async () => {
      throw new TypeError('x is not a function');
    });
    expect(violations).toEqual([expect.stringContaining('run A failed with a bug: TypeError: x is not a function')]);
  });
});

describe('the end of a case', () => {
  it('names the mark that a run left on a node', () => {
    const world = new World(1, SETUP);
    judgeEnd(world);
    expect(world.violations).toEqual([]);
    world.cluster.touch('pool1-000001', { annotations: { [SEALED_ANNOTATION]: 'run' }, isUnschedulable: true });
    judgeEnd(world);
    expect(world.violations).toEqual([
      `pool1-000001 still has the annotation ${SEALED_ANNOTATION}`,
      'pool1-000001 was left cordoned',
    ]);
  });
});

describe('shrinking', () => {
  it('keeps the rule that was broken and drops everything else', async () => {
    const noise: Action[] = [
      { when: { atMs: 60_000 }, deed: { kind: 'scale-out' } },
      { when: { atMs: 90_000 }, deed: { kind: 'tag-pool' } },
      { when: { process: 'run A', step: 'end', plusMs: 5_000 }, deed: { kind: 'new-recipe' } },
    ];
    const leavesOff = broken(async (process) => {
      await hold(process);
      await process.site.provider.pools.stop({ ...REF, id: '3' });
    });
    const drawn = caseOf(noise, { ...SETUP, copyingMs: MINUTE, hasZoneRedundancy: false });
    const { violations } = await play(drawn, leavesOff);
    const small = await shrinkCase(drawn, ruleOf(violations[0]!), leavesOff);
    expect(small).toEqual({ ...caseOf() });
    expect((await play(small, leavesOff)).violations).toEqual(violations);
  });

  it('tells the story in words, with the time of day', () => {
    const story = [{ atMs: START_MS + 12_000, who: 'run A', what: 'cordon the donor' }];
    expect(tellStory({ story, violations: ['the donor was left stopped'] })).toBe(
      '03:00:12 run A: cordon the donor\n→ the donor was left stopped',
    );
  });
});
