// image/build/pipeline.ts: the stages of a build, in order. Read this first.

import type { SharedStage, VersionStage } from './stage.ts';
import { fetchFiles } from './stages/fetch-files.ts';
import { keepBase } from './stages/keep-base.ts';
import { keepShared } from './stages/keep-shared.ts';
import { takeChecksums } from './stages/take-checksums.ts';
import { writeDisk } from './stages/write-disk.ts';
import { writeKernel } from './stages/write-kernel.ts';
import { writeBuildRecord } from './stages/write-record.ts';
import { writeRoot } from './stages/write-root.ts';
import { writeTexts } from './stages/write-texts.ts';
import { writeVersionFiles } from './stages/write-version-files.ts';

/** The only one that needs a network. Outside the lock of builds: another build goes on meanwhile. */
export const FETCH: readonly SharedStage[] = [fetchFiles];

/** Under the lock of builds from here on, if an image is missing. Kept in the cache by their keys. */
export const LAYERS: readonly SharedStage[] = [keepBase, keepShared];

/** Once for all images … */
export const SHARED: readonly SharedStage[] = [...FETCH, ...LAYERS];

/** … and for each image that is missing, a few images at a time. Its folder appears when all of them are made. */
export const PER_VERSION: readonly VersionStage[] = [
  writeRoot,
  writeVersionFiles,
  writeDisk,
  writeKernel,
  writeTexts,
  takeChecksums,
  writeBuildRecord,
];
