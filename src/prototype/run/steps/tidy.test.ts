import { describe, expect, it } from 'vitest';
import { TransientError } from '../../../base/errors.ts';
import { Refused } from '../../../base/failures.ts';
import { lab } from '../../testing.ts';
import { observeWorld } from '../observe.ts';
import type { Scene } from '../scene.ts';
import { pruneVersions } from './tidy.ts';

const world = lab();
const { provider, cluster, clock, ref } = world;
const intent = { ...world.intent, imageHistory: 1 };
const controller = new AbortController();
const { signal } = controller;
const seen = await observeWorld(intent, ref, { ...provider, cluster, clock, signal });
const versions = ['2020.1.1', '2020.1.2', '2020.1.3'].map((name) => ({
  ...({ name, id: `/v/${name}`, state: 'ready', percent: 100, isExcludedFromLatest: false, replicas: 1 } as const),
  ...({ redundancy: 'zone', sizeGb: 1, createdMs: 0, tags: {} } as const),
}));
const scene: Scene = {
  world: { ...seen, versions, references: new Set() },
  intent,
  run: { id: 'run-1', isAborting: false },
};

async function prune(failure: (name: string) => Error | undefined) {
  const asked: string[] = [];
  const deleteVersion = async (_definition: unknown, name: string) => {
    asked.push(name);
    const error = failure(name);
    if (error) throw error;
  };
  const gallery = { ...provider.gallery, deleteVersion };
  const deps = {
    ...provider,
    gallery,
    cluster,
    clock,
    signal,
    onWaiting: () => undefined,
    seal: async () => undefined,
  };
  const outcome = await pruneVersions.apply(scene, deps).catch((error: unknown) => error);
  return { asked: asked.sort(), outcome };
}

describe('pruning', () => {
  it('tries each version, and names all that stay', async () => {
    const { asked, outcome } = await prune((name) => new Refused(`${name} is locked`));
    expect(asked).toEqual(['2020.1.1', '2020.1.2']);
    expect(outcome).toBeInstanceOf(Refused);
    expect((outcome as Error).message).toMatch(/2020\.1\.2 is locked; 2020\.1\.1 is locked/);
  });

  it('stops at a failure that may pass, so that it is tried again', async () => {
    const { asked, outcome } = await prune(() => new TransientError('busy', { code: 'vms/unavailable' }));
    expect(asked).toHaveLength(1);
    expect(outcome).toBeInstanceOf(TransientError);
  });

  it('may fail without failing the run', () => {
    expect(pruneVersions.isOptional?.(scene)).toBe(true);
  });
});
