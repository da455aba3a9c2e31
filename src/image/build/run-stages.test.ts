import { describe, expect, it } from 'vitest';
import type { Cache } from '../fetch/cache.ts';
import type { BaseContent, BuildRecord } from './contract.ts';
import { aLock, SOME_TOOLS } from './locks.testing.ts';
import { type FinishedStage, onePerKey, runSharedStages, runVersionStages } from './run-stages.ts';
import type { Places, SharedStage, VersionStage } from './stage.ts';

const lock = aLock([]);
const targets = lock.kubernetes.map((kubernetes) => ({ lock, kubernetes }));
const places: Places = { cacheFolder: '/cache', out: '/out', formats: [], tools: SOME_TOOLS };
const cache = { folder: '/cache' } as Partial<Cache> as Cache;
const run = () => Promise.reject(new Error('nothing is run'));
const machine = { cache, run, isRoot: true, tools: SOME_TOOLS };
const base = { packages: [] } as Partial<BaseContent> as BaseContent;

/** Records its calls. */
function aStage(more: Partial<SharedStage>): SharedStage & { made: string[] } {
  const made: string[] = [];
  return {
    ...{ id: 'a', title: 'make a', done: 'a made', made, needs: [], gives: [] },
    key: () => 'same',
    isNeeded: () => true,
    isAvailable: () => false,
    async make({ target }) {
      made.push(target.kubernetes);
      return {};
    },
    ...more,
  };
}

async function runStages(...stages: SharedStage[]) {
  const done: FinishedStage[] = [];
  const shared = { ...machine, targets, isOffline: false };
  const made = await runSharedStages(stages, shared, places, { onDone: (stage) => done.push(stage) });
  return { made, done: done.map(({ stage }) => stage) };
}

describe('runSharedStages', () => {
  it('runs a stage once per key', async () => {
    const [same, each] = [aStage({}), aStage({ key: ({ kubernetes }) => kubernetes })];
    await runStages(same, each);
    expect(same.made).toEqual(['1.35.8']);
    expect(each.made).toEqual(['1.35.8', '1.35.7']);
  });

  it('skips a stage whose result exists, and one that is not needed', async () => {
    const there = aStage({ isAvailable: (_, { cacheFolder }) => cacheFolder === '/cache' });
    const unneeded = aStage({ isNeeded: ({ isOffline }) => isOffline });
    expect(await runStages(there, unneeded)).toEqual({ made: {}, done: [] });
    expect([...there.made, ...unneeded.made]).toEqual([]);
  });

  it('verifies an existing result and returns it', async () => {
    const stage = aStage({ isAvailable: () => true, open: async () => ({ base }), verified: 'a verified' });
    expect(await runStages(stage)).toEqual({ made: { base }, done: ['a verified'] });
  });

  it('runs the stage if the result disappeared', async () => {
    const stage = aStage({ isAvailable: () => true, open: async () => undefined, verified: 'a verified' });
    expect((await runStages(stage)).done).toEqual(['a made']);
    expect(stage.made).toEqual(['1.35.8']);
  });

  it('passes outputs to later stages', async () => {
    const first = aStage({ make: async () => ({ base }) });
    const second = aStage({
      make: async (_, made) => ({ base: { ...made.base, packages: [{ name: 'a', bytes: 1 }] } }),
    });
    expect((await runStages(first, second)).made.base?.packages).toHaveLength(1);
  });

  it('lets onePerKey return the first target of each key', async () => {
    expect(await onePerKey({ key: () => 'k' }, targets, SOME_TOOLS)).toEqual([targets[0]]);
    expect(await onePerKey({ key: async ({ kubernetes }) => kubernetes }, targets, SOME_TOOLS)).toEqual(targets);
  });
});

describe('runVersionStages', () => {
  const version = {
    ...{ ...machine, folder: '/scratch', target: targets[0]!, contentSha256: '', formats: [], files: '/files' },
  };
  const partial = { id: 'p', title: 'p', needs: [], gives: [], key: () => '', isAvailable: () => false };

  it('reports progress with the version and the stage id', async () => {
    const reports: unknown[] = [];
    const stage: VersionStage = {
      ...partial,
      done: 'all of it',
      async make({ onWaiting, onDone }) {
        onWaiting?.('the disk', 5);
        onDone?.('a part');
        return {};
      },
    };
    await runVersionStages(
      [stage],
      version,
      {},
      { onWaiting: (...what) => reports.push(what), onDone: (d) => reports.push(d) },
    );
    expect(reports).toEqual([
      ['the disk (1.35.8)', 5],
      { id: 'p', kubernetes: '1.35.8', stage: 'a part' },
      { id: 'p', kubernetes: '1.35.8', stage: 'all of it' },
    ]);
  });

  it('passes shared outputs to stages without changing them for other images', async () => {
    const record = { name: 'node' } as Partial<BuildRecord> as BuildRecord;
    const stage: VersionStage = {
      ...partial,
      make: async (_, made) => ({ ...made, record }),
    };
    const shared = { base };
    expect(await runVersionStages([stage], version, shared, {})).toMatchObject({ base, record });
    expect(shared).toEqual({ base });
  });

  it('stops at the first failure', async () => {
    const bad: VersionStage = { ...partial, make: () => Promise.reject(new Error('no room')) };
    const never: VersionStage = { ...partial, make: () => Promise.reject(new Error('never')) };
    await expect(runVersionStages([bad, never], version, {}, {})).rejects.toThrow('no room');
  });
});
