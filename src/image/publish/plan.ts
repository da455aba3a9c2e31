// image/publish/plan.ts: may this build be published under its name, and what is left to do? Pure: the build, its test, and what is in the gallery.
import { UserError } from '../../base/errors.ts';
import type { Version } from '../../vms/factory.ts';
import { Refused } from '../../vms/failures.ts';
import type { BuildRecord } from '../build/contract.ts';
import { isTestedVersion } from '../channels.ts';
import { definitionName, IMAGE_TAGS, versionName } from '../names.ts';
import { hasPassed, type ImageTest, type Way } from '../test/record.ts';

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

/** Throws when it may not: without a test that passed, or when the name means something else already. */
export function planPublish(
  build: BuildRecord,
  test: ImageTest | undefined,
  seen: Version | undefined,
  { isUntestedAllowed, way }: { isUntestedAllowed: boolean /** How instances will boot it. */; way: Way },
): PublishPlan {
  const isTested = hasPassed(test, build.contentSha256, way);
  if (!isTested && !isUntestedAllowed) throw untested(build, test, way);
  const definition = definitionName(build.name, build.kubernetes);
  const version = versionName(build.base);
  const there = seen?.tags[IMAGE_TAGS.content];
  if (seen && there !== build.contentSha256)
    throw new UserError(
      `${definition}/${version} is there with other content: ${there?.slice(0, 12) ?? 'not one of ours'}, built is ${build.contentSha256.slice(0, 12)}`,
      {
        code: 'image/version-taken',
        kept: 'Nothing was changed: a version never gets other bytes.',
        next: 'lock anew, or make a hotfix of it with `headstart image hotfix`, and build that',
        exitCode: 1,
      },
    );
  if (seen?.state === 'deleting') throw new Refused(`${definition}/${version} is being deleted`, 'image/version-taken');
  const isToBeMade = seen === undefined || seen.state === 'failed';
  return {
    definition,
    version,
    tags: {
      [IMAGE_TAGS.content]: build.contentSha256,
      [IMAGE_TAGS.version]: build.version,
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

function untested({ version, contentSha256 }: BuildRecord, test: ImageTest | undefined, way: Way): UserError {
  const why = !test
    ? 'there is no test of it'
    : test.contentSha256 !== contentSha256
      ? 'its test is one of other content'
      : test.boots.some((boot) => boot.way === way)
        ? 'its test did not pass'
        : `no test has booted it ${way === 'firmware' ? 'through UEFI firmware' : 'with its kernel'}, as instances of this gallery will`;
  return new UserError(`${version} is not published: ${why}`, {
    code: 'image/untested',
    kept: 'Nothing was published.',
    next: `run \`headstart image test${way === 'firmware' ? ' --firmware' : ''}\` on the build; or publish it with --untested, excluded from the latest`,
    exitCode: 1,
  });
}
