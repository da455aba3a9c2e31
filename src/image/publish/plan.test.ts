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

describe('the plan to publish a build', () => {
  it('is to make, mark and offer a tested one that is not there', () => {
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

  it('leaves an untested one out of the latest, and without the mark', () => {
    const plan = planPublish(build, undefined, undefined, UNTESTED);
    expect(plan).toMatchObject({ isTested: false, isToBeMade: true, isToBeIncluded: false, tags: TAGS });
    expect(plan.tags).not.toHaveProperty(IMAGE_TAGS.tested);
    expect(changesOf(plan, build)).toEqual([expect.stringContaining(', excluded from the latest')]);
  });

  it('is to mark and offer one that was published untested, and nothing once that is done', () => {
    const plan = planPublish(build, aTest(), aVersion({ isExcludedFromLatest: true }), TERMS);
    expect(changesOf(plan, build)).toEqual([
      'mark node-1.35.8/2026.1116.0 as tested',
      'offer node-1.35.8/2026.1116.0 as the latest',
    ]);
    const tags = { ...TAGS, [IMAGE_TAGS.tested]: build.contentSha256 };
    expect(changesOf(planPublish(build, aTest(), aVersion({ tags }), TERMS), build)).toEqual([]);
  });

  it('is to make one again whose making failed', () => {
    expect(planPublish(build, aTest(), aVersion({ state: 'failed' }), TERMS)).toMatchObject({ isToBeMade: true });
  });

  it.each<[string, Partial<Version>, string]>([
    ['of other content', { tags: { ...TAGS, [IMAGE_TAGS.content]: 'f'.repeat(64) } }, 'other content: ffffffffffff'],
    ['of other bytes', { tags: { ...TAGS, [IMAGE_TAGS.disk]: 'f'.repeat(64) } }, 'other bytes'],
    ['that is not ours', { tags: {} }, 'other content: not ours'],
    ['that is being deleted', { state: 'deleting' }, 'is being deleted'],
  ])('is refused when the name is that of a version %s', (_, changes, why) => {
    expect(() => planPublish(build, aTest(), aVersion(changes), TERMS)).toThrow(why);
  });

  it.each([
    ['is missing', undefined, 'there is no test of it'],
    ['is of other content', aTest({ contentSha256: 'f'.repeat(64) }), 'one of other content'],
    ['is of other bytes', aTest({ sha256: 'f'.repeat(64) }), 'a disk with other bytes'],
    ['failed', aTest({ isPassed: false }), 'did not pass'],
    ['booted nothing', { ...aTest(), boots: [] }, 'no test has booted it through UEFI firmware'],
  ])('is refused when the test %s, with the next command', (_, test, why) => {
    expect(() => planPublish(build, test, undefined, TERMS)).toThrow(
      expect.objectContaining({
        code: 'image/untested',
        message: expect.stringContaining(why),
        next: expect.stringContaining('image test --firmware'),
      }),
    );
  });

  it('is refused without the disk that the gallery takes', () => {
    const { 'disk.vhd': _, ...files } = build.files;
    expect(() => planPublish({ ...build, files }, undefined, undefined, UNTESTED)).toThrow(
      expect.objectContaining({ code: 'image/no-disk', next: expect.stringContaining('--only vhd') }),
    );
  });
});
