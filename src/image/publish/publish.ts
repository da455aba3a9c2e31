// image/publish/publish.ts: how does a build become a gallery version? It is verified, created, tagged when ready, and only then included in latest.

import type { CallOptions } from '../../base/call-options.ts';
import type { Clock } from '../../base/clock.ts';
import { UserError } from '../../base/errors.ts';
import type { Definition, Gallery, Version } from '../../vms/gallery.ts';
import { readBuild, verifyBuild } from '../build/build-folder.ts';
import type { BuildRecord } from '../build/contract.ts';
import { readTest } from '../test/record.ts';
import type { BootMethod, ImageTest } from '../test/verdict.ts';
import { isTestedVersion } from './channels.ts';
import { imageDefinitionName, imageDefinitionSpec, imageVersionName } from './names.ts';
import { type PublishPlan, planPublish } from './plan.ts';

export type PublishGallery = Pick<
  Gallery,
  'readDefinition' | 'ensureDefinition' | 'readVersion' | 'setExcludedFromLatest' | 'tagVersion'
>;

/** Where a build is published. QEMU and Azure differ only in how they create a version. */
export interface Destination {
  gallery: PublishGallery;
  galleryName: string;
  region: string;
  clock: Clock;
  /** The disk to publish, and all files that are published with it. */
  disk: string;
  files: readonly string[];
  /** How instances boot it; the test must have used the same method. */
  way: BootMethod;
  /** Starts to create the version, excluded from latest. Succeeds if the version exists. */
  makeVersion(build: OpenBuild, definition: Definition, plan: PublishPlan, options: CallOptions): Promise<void>;
}

export interface OpenBuild {
  folder: string;
  record: BuildRecord;
  test: ImageTest | undefined;
}

export interface PublishResult {
  id: string;
  gallery: string;
  definition: string;
  version: string;
  contentSha256: string;
  isTested: boolean;
  isExcludedFromLatest: boolean;
  /** False if the version existed already. */
  isNew: boolean;
}

export interface PublishOptions extends CallOptions {
  isUntestedAllowed: boolean;
}

export async function openBuild(folder: string): Promise<OpenBuild> {
  return { folder, record: await readBuild(folder), test: await readTest(folder) };
}

/** Read-only. */
export async function planForDestination(
  destination: Destination,
  build: OpenBuild,
  options: PublishOptions,
): Promise<PublishPlan> {
  const { gallery, galleryName } = destination;
  const { name, kubernetes, base } = build.record;
  const definition = await gallery.readDefinition(galleryName, imageDefinitionName(name, kubernetes), options);
  const seen = definition && (await gallery.readVersion(definition, imageVersionName(base), options));
  return planPublish(build.record, build.test, seen, { ...options, ...termsOf(destination) });
}

/** Returns when the version is ready. After an interruption, the same call continues. */
export async function publishBuild(
  destination: Destination,
  build: OpenBuild,
  options: PublishOptions,
): Promise<PublishResult> {
  const { gallery, galleryName, region } = destination;
  const plan = await planForDestination(destination, build, options);
  const verify = {
    // The files to publish and all small files; disks in other formats are not needed.
    only: Object.keys(build.record.files).filter(
      (name) => destination.files.includes(name) || !name.startsWith('disk.'),
    ),
    signal: options.signal,
    ...(options.onWaiting && { onWaiting: options.onWaiting }),
  };
  // The build may have been on disk for weeks, so verify every byte now.
  if (plan.isToBeMade) await verifyBuild(build.folder, build.record, verify);
  const definition = await gallery.ensureDefinition(imageDefinitionSpec(build.record, galleryName), region, options);
  if (plan.isToBeMade) await destination.makeVersion(build, definition, plan, options);
  const ready = await untilReady(destination, definition, plan.version, options);
  // Plan again from the current state: another process may have published other content meanwhile.
  const left = planPublish(build.record, build.test, ready, { ...options, ...termsOf(destination) });
  if (left.isToBeMarked) await gallery.tagVersion(definition, plan.version, left.tags, options);
  if (left.isToBeIncluded) await gallery.setExcludedFromLatest(definition, plan.version, false, options);
  const made = await untilReady(destination, definition, plan.version, options);
  return {
    id: made.id,
    gallery: galleryName,
    definition: plan.definition,
    version: plan.version,
    contentSha256: build.record.contentSha256,
    isTested: isTestedVersion(made),
    isExcludedFromLatest: made.isExcludedFromLatest,
    isNew: plan.isToBeMade,
  };
}

const termsOf = ({ way, disk }: Destination) => ({ way, disk });

const POLL_MS = 15_000;

/** Creation and replication to all regions take minutes to hours. */
async function untilReady(
  { gallery, clock }: Destination,
  definition: Definition,
  name: string,
  options: CallOptions,
): Promise<Version> {
  for (;;) {
    const version = await gallery.readVersion(definition, name, options);
    if (version?.state === 'ready') return version;
    if (version === undefined || version.state === 'failed' || version.state === 'deleting')
      throw new UserError(
        `${definition.name}/${name} did not become ready: its state is ${version?.state ?? 'deleted'}${version?.failure ? ` (${version.failure})` : ''}`,
        {
          code: 'image/version-failed',
          next: 'run the same command again: it removes the failed version first',
          exitCode: 1,
        },
      );
    options.onWaiting?.(`image version ${definition.name}/${name}, ${version.state}`, version.percent);
    await clock.sleep(POLL_MS, options.signal);
  }
}
