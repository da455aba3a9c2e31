import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { TransientError, UserError } from '../../../base/errors.ts';
import { STANDBY_TIERS, type StandbyTier } from '../../standby.ts';
import { poolLock } from '../home/layout.ts';
import type * as RecordFile from '../home/record-file.ts';
import { none, parkedWorld, problemsIn, type StandbyWorld, standbyWorld, type When } from './world.testing.ts';

// Records are written with functions, not through the context: this is the only way to interrupt a write.
const writing = vi.hoisted(() => ({ step: (_when: 'before' | 'after') => {} }));
const locks = vi.hoisted(() => ({ held: new Map<string, Promise<unknown>>() }));
vi.mock(import('../home/record-file.ts'), async (load) => {
  const actual: typeof RecordFile = await load();
  return {
    ...actual,
    writeHomeRecord(path, value) {
      writing.step('before');
      actual.writeHomeRecord(path, value);
      writing.step('after');
    },
  };
});

// All commands of these tests run in this process, so a queue excludes them from each other; flock would start thousands of processes.
vi.mock(import('../../../host/locks.ts'), async (load) => {
  const { held } = locks;
  const take = async <T>(key: string, work: () => Promise<T>): Promise<T> => {
    const done = (held.get(key) ?? Promise.resolve()).then(work, work);
    const settled = done.then(
      () => undefined,
      () => undefined,
    );
    held.set(key, settled);
    try {
      return await done;
    } finally {
      if (held.get(key) === settled) held.delete(key);
    }
  };
  return {
    ...(await load()),
    withLock: (home, { name }, options, work) => {
      options?.signal?.throwIfAborted();
      return take(`${home} ${name}`, work);
    },
    withLockIfFree: async (home, { name }, work) => {
      const key = `${home} ${name}`;
      if (!held.has(key)) await take(key, work);
    },
  };
});

class Killed extends Error {}

interface Scenario {
  name: string;
  start: () => StandbyWorld;
  command: (world: StandbyWorld) => Promise<unknown>;
  /** What the user runs next; the same command, unless the comment says otherwise. */
  next?: (world: StandbyWorld) => Promise<unknown>;
  expected: Parameters<typeof problemsIn>[1];
}

const keep = (tier: StandbyTier | undefined) => ({ ...none, ...(tier && { [tier]: 1 }) });
const fill = ({ provider, pool }: StandbyWorld) => provider.standby.fillStandby(pool);
const scale = ({ provider, pool }: StandbyWorld) => provider.pools.setCapacity(pool, 1);

const empty = new Map<StandbyTier, StandbyWorld>();
const parked = new Map<StandbyTier, StandbyWorld>();
beforeAll(async () => {
  for (const tier of STANDBY_TIERS) {
    parked.set(tier, await parkedWorld(tier));
    const world = await standbyWorld();
    await world.provider.standby.setStandby(world.pool, { counts: keep(tier) });
    empty.set(tier, world);
  }
});
afterAll(() => {
  for (const world of [...empty.values(), ...parked.values()]) world.end();
});

let world: StandbyWorld;
afterEach(() => {
  writing.step = () => undefined;
  world.end();
});

const scenarios: Scenario[] = [
  ...STANDBY_TIERS.flatMap((tier): Scenario[] => [
    {
      name: `preparing one ${tier}`,
      start: () => empty.get(tier)!.fork(),
      command: fill,
      expected: { inService: 0, counts: keep(tier) },
    },
    {
      name: `claiming one ${tier}`,
      start: () => parked.get(tier)!.fork(),
      command: scale,
      next: async (after) => {
        await scale(after);
        await fill(after);
      },
      expected: { inService: 1, counts: keep(tier) },
    },
    {
      name: `deleting one ${tier}`,
      start: () => parked.get(tier)!.fork(),
      command: ({ provider, pool }) => provider.standby.deleteStandby(pool),
      expected: { inService: 0, counts: none },
    },
  ]),
  {
    name: 'claiming past a paused one whose API server has moved',
    start: () => Object.assign(parked.get('paused')!.fork(), { apiPort: 7443 }),
    command: scale,
    next: async (after) => {
      await scale(after);
      await fill(after);
    },
    expected: { inService: 1, counts: keep('paused') },
  },
];

/** Counts the steps of an uninterrupted run, and checks its end. */
async function stepsOf({ start, command, next = command, expected }: Scenario): Promise<number> {
  world = start();
  let steps = 0;
  interruptAt(() => void steps++);
  await command(world);
  const counted = steps;
  await next(world);
  await awaitAll();
  expect(await problemsIn(world, expected)).toEqual([]);
  return counted;
}

/** After each call, and before each write: files may have been deleted between the two. */
function interruptAt(step: (call: string, when: When) => void | Promise<void>): void {
  world.interrupt = (call, when) => (when === 'after' ? step(call, when) : undefined);
  writing.step = (when) => void step('write', when);
}

async function awaitAll(): Promise<void> {
  const { provider, pool } = world;
  for (const { ref } of await provider.pools.listInstances(pool))
    await provider.guests.awaitUp(ref, { deadlineMs: 60_000 });
}

async function settle({ command, next = command, expected }: Scenario): Promise<string[]> {
  interruptAt(() => undefined);
  await next(world);
  await awaitAll();
  return problemsIn(world, expected);
}

describe.each(scenarios)('$name', (scenario) => {
  it('ends as it should when the command is killed at any step and run again', async () => {
    const steps = await stepsOf(scenario);
    expect(steps).toBeGreaterThan(3);
    const wrong: string[] = [];
    for (let at = 1; at <= steps; at++) {
      world.end();
      world = scenario.start();
      let step = 0;
      let where = '';
      interruptAt((call, when) => {
        if (++step === at) where = `${when} ${call}`;
        if (step >= at) throw new Killed();
      });
      const { interrupt } = world;
      world.interrupt = (call, when) => {
        if (when === 'before' && step >= at) throw new Killed(); // nothing that follows has an effect
        return interrupt(call, when);
      };
      await scenario.command(world).then(
        () => wrong.push(`step ${at}, ${where}: the command was not killed`),
        () => undefined,
      );
      wrong.push(...(await settle(scenario)).map((problem) => `step ${at}, ${where}: ${problem}`));
    }
    expect(wrong).toEqual([]);
  });

  it('ends as it should when the API server is down for one call, or from that call until the command is run again', async () => {
    const steps = await stepsOf(scenario);
    const wrong: string[] = [];
    for (let at = 1; at <= steps; at++)
      for (const length of [1, steps]) {
        world.end();
        world = scenario.start();
        let step = 0;
        let where = '';
        interruptAt((call) => {
          step++;
          if (step === at) where = call;
          world.isClusterDown = step >= at && step < at + length;
        });
        await scenario.command(world).catch(unlessExpected);
        world.isClusterDown = false;
        wrong.push(...(await settle(scenario)).map((problem) => `${length} after step ${at}, ${where}: ${problem}`));
      }
    expect(wrong).toEqual([]);
  });

  it('ends as it should when the disk is full for one write, or from that write until the command is run again', async () => {
    world = scenario.start();
    let writes = 0;
    writing.step = (when) => void (when === 'before' && writes++);
    await scenario.command(world);
    const wrong: string[] = [];
    for (let at = 1; at <= writes; at++)
      for (const length of [1, writes]) {
        world.end();
        world = scenario.start();
        let write = 0;
        writing.step = (when) => {
          if (when === 'before' && ++write >= at && write < at + length)
            throw new UserError('the disk is full', { code: 'vms/no-space' });
        };
        await scenario.command(world).catch(unlessExpected);
        wrong.push(...(await settle(scenario)).map((problem) => `${length} from write ${at}: ${problem}`));
      }
    expect(writes).toBeGreaterThan(0);
    expect(wrong).toEqual([]);
  });

  it('ends as it should when QEMU dies after any step', async () => {
    const steps = await stepsOf(scenario);
    const wrong: string[] = [];
    for (let at = 1; at <= steps; at++) {
      world.end();
      world = scenario.start();
      let step = 0;
      let where = '';
      interruptAt((call) => {
        if (++step !== at) return;
        where = call;
        world.guests.clear();
      });
      await scenario.command(world).catch(unlessExpected);
      interruptAt(() => undefined);
      for (const { ref, power } of await world.provider.pools.listInstances(world.pool))
        if (power === 'stopped') await world.provider.pools.start(ref); // it died in service
      wrong.push(...(await settle(scenario)).map((problem) => `after step ${at}, ${where}: ${problem}`));
    }
    expect(wrong).toEqual([]);
  });
});

function unlessExpected(error: unknown): void {
  if (!(error instanceof UserError || error instanceof TransientError)) throw error;
}

interface Actor {
  name: string;
  act: (world: StandbyWorld) => Promise<unknown>;
  /** What the user runs when both have ended. */
  next?: (world: StandbyWorld) => Promise<unknown>;
  expected: (tier: StandbyTier) => Parameters<typeof problemsIn>[1];
}

const full = (tier: StandbyTier) => ({ inService: 0, counts: keep(tier) });
const actors: Actor[] = [
  { name: 'its Node is deleted', act: async ({ nodes }) => nodes.clear(), expected: full },
  {
    name: 'the pool is deleted and made again with an instance of the same name',
    async act({ provider, pool }) {
      const spec = await provider.pools.readSpec(pool);
      await provider.pools.deletePool(pool);
      await provider.pools.createPool(spec);
      await provider.pools.setCapacity(pool, 1);
    },
    next: async () => undefined,
    expected: () => ({ inService: 1, counts: none }),
  },
  {
    name: 'the pool is to keep none any more',
    act: ({ provider, pool }) => provider.standby.deleteStandby(pool),
    next: async () => undefined,
    expected: () => ({ inService: 0, counts: none }),
  },
  {
    name: 'the pool gets another image',
    async act({ provider, pool }) {
      const { id } = (await provider.pools.readPool(pool))!.model.image as { id: string };
      await provider.publisher.changeModel((await provider.pools.readPool(pool))!, {
        image: { kind: 'version', id: id.replace('1.0.0', '1.0.1') },
        bootstrap: 'none',
        extensions: { keep: [], add: [] },
        tags: {},
      });
    },
    expected: full,
  },
  {
    name: 'the pool gets another document',
    act: ({ provider, pool }) => provider.pools.setUserData(pool, 'YQ=='),
    expected: full,
  },
  { name: 'the pool is scaled', act: scale, expected: (tier) => ({ inService: 1, counts: keep(tier) }) },
];

describe.each(actors)('preparing one while $name', ({ act, next = fill, expected }) => {
  it.each(STANDBY_TIERS)('ends as it should at any step (%s)', async (tier) => {
    const scenario = { name: '', start: () => empty.get(tier)!.fork(), command: fill, expected: full(tier) };
    const steps = await stepsOf(scenario);
    const wrong: string[] = [];
    let acted = 0;
    for (let at = 1; at <= steps; at++) {
      world.end();
      world = scenario.start();
      const key = `${world.context.home} ${poolLock(world.pool.name)}`;
      let step = 0;
      let where = '';
      let acting: Promise<unknown> | undefined;
      interruptAt(async (call) => {
        if (++step !== at || call === 'write' || locks.held.has(key)) return; // the other command would wait for the lock
        where = call;
        acted++;
        acting = act(world);
        await acting;
      });
      await scenario.command(world).catch(unlessExpected);
      if (where === '') continue;
      await acting; // the command may have failed before the other one ended
      const seen = await settle({ ...scenario, command: next, expected: expected(tier) });
      wrong.push(...seen.map((problem) => `after step ${at}, ${where}: ${problem}`));
    }
    expect(wrong).toEqual([]);
    expect(acted).toBeGreaterThan(4);
  });
});
