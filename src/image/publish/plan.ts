// image/publish/plan.ts: may this build be published under its name, and what remains to be done? Pure: decides from the build, its test and the gallery.
import { UserError } from '../../base/errors.ts';
import { Refused } from '../../base/failures.ts';
import type { Version } from '../../vms/gallery.ts';
import type { BuildRecord } from '../build/contract.ts';
import { type BootMethod, hasPassed, type ImageTest, isBootOfBuild } from '../test/verdict.ts';
import { isTestedVersion } from './channels.ts';
import { IMAGE_TAGS, imageDefinitionName, imageVersionName } from './names.ts';

export interface PublishPlan {
  definition: string;
  version: string;
  /** Tags for the version. */
  tags: Readonly<Record<string, string>>;
  isTested: boolean;
  /** The version does not exist, or its creation failed. */
  isToBeMade: boolean;
  isToBeMarked: boolean;
  isToBeIncluded: boolean;
}

export interface PublishTerms {
  isUntestedAllowed: boolean;
  /** How instances boot it. */
  way: BootMethod;
  /** The name of the disk that is published. */
  disk: string;
}

/** Throws if no test of these bytes has passed and untested is not allowed, or if the name is taken by other bytes. */
export function planPublish(
  build: BuildRecord,
  test: ImageTest | undefined,
  seen: Version | undefined,
  { isUntestedAllowed, way, disk }: PublishTerms,
): PublishPlan {
  const isTested = hasPassed(test, build, way);
  if (!isTested && !isUntestedAllowed) throw untested(build, test, way);
  const definition = imageDefinitionName(build.name, build.kubernetes);
  const version = imageVersionName(build.base);
  const diskSha256 = build.files[disk]?.sha256;
  if (diskSha256 === undefined) throw noDisk(build, disk);
  if (seen) {
    const requireSame = (what: string, tag: string, built: string) => {
      const there = seen.tags[tag];
      if (there !== built) throw nameTaken(`${definition}/${version}`, what, there, built);
    };
    requireSame('content', IMAGE_TAGS.content, build.contentSha256);
    // The same content can be packed into other bytes, which were not tested.
    requireSame('bytes', IMAGE_TAGS.disk, diskSha256);
  }
  if (seen?.state === 'deleting') throw new Refused(`${definition}/${version} is being deleted`, 'image/version-taken');
  const isToBeMade = seen === undefined || seen.state === 'failed';
  return {
    definition,
    version,
    tags: {
      [IMAGE_TAGS.content]: build.contentSha256,
      [IMAGE_TAGS.version]: build.version,
      [IMAGE_TAGS.disk]: diskSha256,
      ...(isTested && { [IMAGE_TAGS.tested]: build.contentSha256 }),
    },
    isTested,
    isToBeMade,
    isToBeMarked: isTested && !isToBeMade && !isTestedVersion(seen),
    isToBeIncluded: isTested && (isToBeMade || seen.isExcludedFromLatest),
  };
}

/** One phrase per change. */
export function changesOf(plan: PublishPlan, { contentSha256 }: BuildRecord): string[] {
  const name = `${plan.definition}/${plan.version}`;
  return [
    ...(plan.isToBeMade
      ? [
          `publish ${name} with the content ${contentSha256.slice(0, 12)}${plan.isTested ? '' : ', excluded from the latest'}`,
        ]
      : []),
    ...(plan.isToBeMarked ? [`mark ${name} as tested`] : []),
    ...(plan.isToBeIncluded ? [`offer ${name} as the latest`] : []),
  ];
}

function nameTaken(name: string, what: string, there: string | undefined, built: string): UserError {
  return new UserError(
    `${name} already exists with other ${what}: expected ${built.slice(0, 12)}, got ${there?.slice(0, 12) ?? 'no tag of ours'}`,
    {
      code: 'image/version-taken',
      kept: 'Nothing was changed: the bytes of a version never change.',
      next: 'lock again, or make a hotfix with `headstart image hotfix`; then build it',
      exitCode: 1,
    },
  );
}

function noDisk({ version }: BuildRecord, disk: string): UserError {
  return new UserError(`the build of ${version} has no ${disk}, which this gallery requires`, {
    code: 'image/no-disk',
    kept: 'Nothing was published.',
    next: `build that format too: headstart image build --only ${disk.replace(/^disk\./, '')}`,
  });
}

function untested(build: BuildRecord, test: ImageTest | undefined, way: BootMethod): UserError {
  const { version, contentSha256 } = build;
  const boot = test?.boots.find((one) => one.way === way);
  const why = !test
    ? 'it was not tested'
    : test.contentSha256 !== contentSha256
      ? 'its test is for other content'
      : boot
        ? isBootOfBuild(boot, build)
          ? 'its test failed'
          : 'its test is for a disk with other bytes'
        : `no test has booted it ${way === 'firmware' ? 'through UEFI firmware' : 'with its kernel'}, as instances of this gallery do`;
  return new UserError(`cannot publish ${version}: ${why}`, {
    code: 'image/untested',
    kept: 'Nothing was published.',
    next: `run \`headstart image test${way === 'firmware' ? ' --firmware' : ''}\` on the build; or publish it with --untested, excluded from the latest`,
    exitCode: 1,
  });
}
