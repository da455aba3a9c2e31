// image/build/pipeline.ts: which stages does a build run, in which order? Read this first.

import type { SharedStage, VersionStage } from './stage.ts';
import { computeChecksums } from './stages/compute-checksums.ts';
import { fetchFiles } from './stages/fetch-files.ts';
import { makeBaseLayer } from './stages/make-base-layer.ts';
import { makeSharedLayer } from './stages/make-shared-layer.ts';
import { writeDisk } from './stages/write-disk.ts';
import { writeKernel } from './stages/write-kernel.ts';
import { writeBuildRecord } from './stages/write-record.ts';
import { writeRoot } from './stages/write-root.ts';
import { writeTexts } from './stages/write-texts.ts';
import { writeVersionFiles } from './stages/write-version-files.ts';

/** The only stage that needs a network. Runs without the build lock, so that another build can continue meanwhile. */
export const FETCH: readonly SharedStage[] = [fetchFiles];

/** Run under the build lock, and only if an image is missing. The cache stores the layers by key. */
export const LAYERS: readonly SharedStage[] = [makeBaseLayer, makeSharedLayer];

/** Once for all images. */
export const SHARED: readonly SharedStage[] = [...FETCH, ...LAYERS];

/** For each missing image, a few images at a time. The image's folder appears when all stages are done. */
export const PER_VERSION: readonly VersionStage[] = [
  writeRoot,
  writeVersionFiles,
  writeDisk,
  writeKernel,
  writeTexts,
  computeChecksums,
  writeBuildRecord,
];
