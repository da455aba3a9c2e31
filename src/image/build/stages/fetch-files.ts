// image/build/stages/fetch-files.ts: fetch the files of the lock that the cache lacks.
import { artifactsOf } from '../../lock/content-hash.ts';
import type { Artifact } from '../../lock/lock.ts';
import type { ImageTarget } from '../contract.ts';
import type { SharedStage } from '../stage.ts';

export const fetchFiles: SharedStage<never, never> = {
  id: 'fetch',
  title: 'fetch missing files',
  amount: (targets) => {
    const files = artifactsToFetch(targets);
    return ` (of ${files.length}, ${inMib(files.reduce((sum, { bytes }) => sum + bytes, 0))} in total)`;
  },
  done: 'fetched',
  // One key for all versions of a lock, so that their files are fetched in parallel.
  key: ({ lock }) => lock.manifestSha256,
  isNeeded: ({ isOffline }) => !isOffline,
  // The cache itself skips files that it has.
  isAvailable: () => false,
  needs: [],
  gives: [],
  async make({ cache, targets, signal, onWaiting }) {
    await cache.fill(artifactsToFetch(targets), { signal, onWaiting });
    return {};
  },
};

/** Each file once, in the order of the versions. */
export function artifactsToFetch(targets: readonly ImageTarget[]): Artifact[] {
  const all = targets.flatMap(({ lock, kubernetes }) => artifactsOf(lock, kubernetes));
  return [...new Map(all.map((artifact) => [artifact.sha256, artifact])).values()];
}

const inMib = (bytes: number) => `${Math.ceil(bytes / 2 ** 20)} MiB`;
