// image/build/stages/fetch-files.ts: fetch the files of the lock that the cache lacks.
import { artifactsOf } from '../../lock/content-hash.ts';
import type { Artifact } from '../../lock/lock.ts';
import type { ImageTarget } from '../contract.ts';
import type { SharedStage } from '../stage.ts';

export const fetchFiles: SharedStage<never, never> = {
  id: 'fetch',
  title: 'fetch what is missing',
  amount: (targets) => {
    const files = artifactsToFetch(targets);
    return ` of ${files.length} files, ${inMib(files.reduce((sum, { bytes }) => sum + bytes, 0))} in all`;
  },
  done: 'fetched',
  // All versions of a lock together, so that their files are fetched in parallel.
  key: ({ lock }) => lock.manifestSha256,
  isNeeded: ({ isOffline }) => !isOffline,
  // The cache looks for each file by its sha256.
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
