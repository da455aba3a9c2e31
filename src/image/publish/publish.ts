// image/publish/publish.ts: how does a build become a version of a gallery? Verified, made, ready, marked, and only then offered as the latest.

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

/** Where a build goes. QEMU's folder and Azure differ only in how a version is made. */
export interface Destination {
  gallery: PublishGallery;
  galleryName: string;
  region: string;
  clock: Clock;
  /** The disk of a build that goes there, and what else does. */
  disk: string;
  files: readonly string[];
  /** How instances will boot it: what a test has to have tried. */
  way: BootMethod;
  /** Begins to make the version, excluded from the latest; there already is success. */
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
  /** false: it was there already. */
  isNew: boolean;
}

export interface PublishOptions extends CallOptions {
  isUntestedAllowed: boolean;
}

export async function openBuild(folder: string): Promise<OpenBuild> {
  return { folder, record: await readBuild(folder), test: await readTest(folder) };
}

/** What there is to do; changes nothing. */
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

/** Ends with the version ready. Cut off anywhere, the same call goes on. */
export async function publishBuild(
  destination: Destination,
  build: OpenBuild,
  options: PublishOptions,
): Promise<PublishResult> {
  const { gallery, galleryName, region } = destination;
  const plan = await planForDestination(destination, build, options);
  const verify = {
    // And the small ones that say what it is; a disk of the other kind is not needed for this.
    only: Object.keys(build.record.files).filter(
      (name) => destination.files.includes(name) || !name.startsWith('disk.'),
    ),
    signal: options.signal,
    ...(options.onWaiting && { onWaiting: options.onWaiting }),
  };
  // Every byte again, now: what was built may have been on a disk for weeks.
  if (plan.isToBeMade) await verifyBuild(build.folder, build.record, verify);
  const definition = await gallery.ensureDefinition(imageDefinitionSpec(build.record, galleryName), region, options);
  if (plan.isToBeMade) await destination.makeVersion(build, definition, plan, options);
  const ready = await untilReady(destination, definition, plan.version, options);
  // Planned again from what is there now: somebody else may have been faster, with other content.
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

/** Made and in every region: minutes to hours. */
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
        `${definition.name}/${name} did not become ready: it is ${version?.state ?? 'gone'}${version?.failure ? ` (${version.failure})` : ''}`,
        {
          code: 'image/version-failed',
          next: 'run the same command again: what is left of it is removed first',
          exitCode: 1,
        },
      );
    options.onWaiting?.(`image version ${definition.name}/${name}, ${version.state}`, version.percent);
    await clock.sleep(POLL_MS, options.signal);
  }
}
