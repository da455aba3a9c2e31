import { describe, expect, it } from 'vitest';
import type { Cache, FetchRequest } from '../../fetch/cache.ts';
import { aLock, anArtifact, SOME_TOOLS } from '../locks.testing.ts';
import type { SharedContext } from '../stage.ts';
import { artifactsToFetch, fetchFiles } from './fetch-files.ts';

const kubelet = (kubernetes: string, sha256: string) =>
  anArtifact('kubelet', 'binary', { kubernetes, sha256: sha256.repeat(32), bytes: 2 << 20 });
const lock = aLock([anArtifact('libc6', 'deb'), kubelet('1.35.8', 'ab'), kubelet('1.35.7', 'cd')]);
const targets = lock.kubernetes.map((kubernetes) => ({ lock, kubernetes }));

describe('fetchFiles', () => {
  it('covers the files of all versions, each once', () => {
    const named = (files: readonly FetchRequest[]) =>
      files.map(({ component, sha256 }) => `${component} ${sha256.slice(0, 2)}`);
    expect(named(artifactsToFetch(targets))).toEqual(['libc6 6c', 'kubelet ab', 'kubelet cd']);
    expect(named(artifactsToFetch([targets[1]!]))).toEqual(['libc6 6c', 'kubelet cd']);
  });

  it('fetches the files of all versions together, unless offline', async () => {
    const filled: number[] = [];
    const cache = { fill: async (files: readonly FetchRequest[]) => void filled.push(files.length) };
    const context = { ...{ cache: cache as Partial<Cache> as Cache, targets, target: targets[0]!, isOffline: false } };
    await fetchFiles.make(context as Partial<SharedContext> as SharedContext, {});
    expect(filled).toEqual([3]);
    expect(await fetchFiles.key(targets[0]!, SOME_TOOLS)).toBe(await fetchFiles.key(targets[1]!, SOME_TOOLS));
    expect([true, false].map((isOffline) => fetchFiles.isNeeded({ target: targets[0]!, isOffline }))).toEqual([
      false,
      true,
    ]);
  });

  it('states number and size in its title', () => {
    expect(`${fetchFiles.title}${fetchFiles.amount?.(targets)}`).toBe('fetch missing files (of 3, 5 MiB in total)');
  });
});
