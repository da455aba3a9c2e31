import { describe, expect, it } from 'vitest';
import type { Version } from '../../vms/gallery.ts';
import { FILES } from '../test/boot-image.ts';
import { build } from '../test/testing.ts';
import type { BootTest, ImageTest } from '../test/verdict.ts';
import { IMAGE_TAGS } from './names.ts';
import { changesOf, planPublish } from './plan.ts';

const TERMS = { isUntestedAllowed: false, way: 'firmware', disk: 'disk.vhd' } as const;
const UNTESTED = { ...TERMS, isUntestedAllowed: true };
const TAGS = {
  [IMAGE_TAGS.content]: build.contentSha256,
  [IMAGE_TAGS.version]: build.version,
  [IMAGE_TAGS.disk]: build.files['disk.vhd']!.sha256,
};

function aTest(changes: { isPassed?: boolean; contentSha256?: string; sha256?: string } = {}): ImageTest {
  const { isPassed = true, contentSha256 = build.contentSha256, sha256 } = changes;
  const files = Object.fromEntries(FILES.firmware.map((name) => [name, sha256 ?? build.files[name]!.sha256]));
  const boot: BootTest = { way: 'firmware', files, isPassed, checks: [], phases: [], budget: [] };
  return { apiVersion: 'headstart.dev/v1', kind: 'ImageTest', contentSha256, isPassed, boots: [boot] };
}

const aVersion = (changes: Partial<Version> = {}) =>
  ({ state: 'ready', isExcludedFromLatest: false, tags: TAGS, ...changes }) as Version;

describe('planPublish', () => {
  it('creates, tags and includes a tested version that does not exist', () => {
    const plan = planPublish(build, aTest(), undefined, TERMS);
    expect(plan).toMatchObject({
      ...{ definition: 'node-1.35.8', version: '2026.1116.0', isTested: true },
      ...{ isToBeMade: true, isToBeMarked: false, isToBeIncluded: true },
      tags: { ...TAGS, [IMAGE_TAGS.tested]: build.contentSha256 },
    });
    expect(changesOf(plan, build)).toEqual([
      `publish node-1.35.8/2026.1116.0 with the content ${build.contentSha256.slice(0, 12)}`,
      'offer node-1.35.8/2026.1116.0 as the latest',
    ]);
  });

  it('excludes an untested version from latest and does not tag it', () => {
    const plan = planPublish(build, undefined, undefined, UNTESTED);
    expect(plan).toMatchObject({ isTested: false, isToBeMade: true, isToBeIncluded: false, tags: TAGS });
    expect(plan.tags).not.toHaveProperty(IMAGE_TAGS.tested);
    expect(changesOf(plan, build)).toEqual([expect.stringContaining(', excluded from the latest')]);
  });

  it('tags and includes a version that was published untested, and then has nothing to do', () => {
    const plan = planPublish(build, aTest(), aVersion({ isExcludedFromLatest: true }), TERMS);
    expect(changesOf(plan, build)).toEqual([
      'mark node-1.35.8/2026.1116.0 as tested',
      'offer node-1.35.8/2026.1116.0 as the latest',
    ]);
    const tags = { ...TAGS, [IMAGE_TAGS.tested]: build.contentSha256 };
    expect(changesOf(planPublish(build, aTest(), aVersion({ tags }), TERMS), build)).toEqual([]);
  });

  it('creates a version again if its creation failed', () => {
    expect(planPublish(build, aTest(), aVersion({ state: 'failed' }), TERMS)).toMatchObject({ isToBeMade: true });
  });

  it.each<[string, Partial<Version>, string]>([
    ['has other content', { tags: { ...TAGS, [IMAGE_TAGS.content]: 'f'.repeat(64) } }, 'got ffffffffffff'],
    ['has other bytes', { tags: { ...TAGS, [IMAGE_TAGS.disk]: 'f'.repeat(64) } }, 'other bytes'],
    ['is not ours', { tags: {} }, 'got no tag of ours'],
    ['is being deleted', { state: 'deleting' }, 'is being deleted'],
  ])('refuses if the existing version %s', (_, changes, why) => {
    expect(() => planPublish(build, aTest(), aVersion(changes), TERMS)).toThrow(why);
  });

  it.each([
    ['is missing', undefined, 'it was not tested'],
    ['is for other content', aTest({ contentSha256: 'f'.repeat(64) }), 'for other content'],
    ['is for other bytes', aTest({ sha256: 'f'.repeat(64) }), 'a disk with other bytes'],
    ['failed', aTest({ isPassed: false }), 'its test failed'],
    ['booted nothing', { ...aTest(), boots: [] }, 'no test has booted it through UEFI firmware'],
  ])('refuses with the next command if the test %s', (_, test, why) => {
    expect(() => planPublish(build, test, undefined, TERMS)).toThrow(
      expect.objectContaining({
        code: 'image/untested',
        message: expect.stringContaining(why),
        next: expect.stringContaining('image test --firmware'),
      }),
    );
  });

  it('refuses a build without the disk that the gallery requires', () => {
    const { 'disk.vhd': _, ...files } = build.files;
    expect(() => planPublish({ ...build, files }, undefined, undefined, UNTESTED)).toThrow(
      expect.objectContaining({ code: 'image/no-disk', next: expect.stringContaining('--only vhd') }),
    );
  });
});
