// image/publish/plan.ts: may this build be published under its name, and what is left to do? Pure: the build, its test, and what is in the gallery.
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
  /** Of the version, once it is there. */
  tags: Readonly<Record<string, string>>;
  isTested: boolean;
  /** Nothing of that name is there, or only what is left of one that failed. */
  isToBeMade: boolean;
  isToBeMarked: boolean;
  isToBeIncluded: boolean;
}

export interface PublishTerms {
  isUntestedAllowed: boolean;
  /** How instances will boot it. */
  way: BootMethod;
  /** Which of the build's disks is published. */
  disk: string;
}

/** Throws when it may not: without a test that passed, or when the name means something else already. */
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
    const isTaken = (what: string, tag: string, built: string) => {
      const there = seen.tags[tag];
      if (there !== built) throw taken(`${definition}/${version}`, what, there, built);
    };
    isTaken('content', IMAGE_TAGS.content, build.contentSha256);
    // The same content in other bytes is not what was tested here.
    isTaken('bytes', IMAGE_TAGS.disk, diskSha256);
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

/** What would be done, in words. */
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

function taken(name: string, what: string, there: string | undefined, built: string): UserError {
  return new UserError(
    `${name} is there with other ${what}: ${there?.slice(0, 12) ?? 'not ours'}, built is ${built.slice(0, 12)}`,
    {
      code: 'image/version-taken',
      kept: 'Nothing was changed: a version never gets other bytes.',
      next: 'lock anew, or make a hotfix of it with `headstart image hotfix`, and build that',
      exitCode: 1,
    },
  );
}

function noDisk({ version }: BuildRecord, disk: string): UserError {
  return new UserError(`the build of ${version} has no ${disk}, which this gallery takes`, {
    code: 'image/no-disk',
    kept: 'Nothing was published.',
    next: `build it in that format as well: headstart image build --only ${disk.replace(/^disk\./, '')}`,
  });
}

function untested(build: BuildRecord, test: ImageTest | undefined, way: BootMethod): UserError {
  const { version, contentSha256 } = build;
  const boot = test?.boots.find((one) => one.way === way);
  const why = !test
    ? 'there is no test of it'
    : test.contentSha256 !== contentSha256
      ? 'its test is one of other content'
      : boot
        ? isBootOfBuild(boot, build)
          ? 'its test did not pass'
          : 'its test is one of a disk with other bytes'
        : `no test has booted it ${way === 'firmware' ? 'through UEFI firmware' : 'with its kernel'}, as instances of this gallery will`;
  return new UserError(`${version} is not published: ${why}`, {
    code: 'image/untested',
    kept: 'Nothing was published.',
    next: `run \`headstart image test${way === 'firmware' ? ' --firmware' : ''}\` on the build; or publish it with --untested, excluded from the latest`,
    exitCode: 1,
  });
}
