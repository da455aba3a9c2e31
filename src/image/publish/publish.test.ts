import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { listPublished } from './gallery-list.ts';
import { IMAGE_TAGS } from './names.ts';
import { openBuild, publishBuild } from './publish.ts';
import { writeBuild, writeTest } from './testing.ts';
import { aDestination } from './to-azure.testing.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'headstart-publish-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const TESTED = { isUntestedAllowed: false };
const UNTESTED = { isUntestedAllowed: true };

describe('publishing', () => {
  it('a tested build makes a version that is excluded until it is ready, then offered', async () => {
    const { contentSha256 } = writeBuild(folder);
    writeTest(folder, contentSha256);
    const { provider, blob, begun, destination } = aDestination();
    const published = await publishBuild(destination, await openBuild(folder), TESTED);
    expect(published).toMatchObject({
      ...{ gallery: 'images', definition: 'node-1.35.8', version: '2026.1116.0', contentSha256 },
      ...{ isTested: true, isExcludedFromLatest: false, isNew: true },
    });
    expect(begun).toMatchObject([
      { isExcludedFromLatest: true, blob: { uri: blob.url, storageAccountId: '/account' } },
    ]);
    expect(blob.bytes?.equals(readFileSync(join(folder, 'disk.vhd')))).toBe(true);
    expect((await listPublished(provider.gallery, 'images'))?.images).toMatchObject([
      { isTested: true, isExcludedFromLatest: false },
    ]);
  });

  it('twice is once', async () => {
    const { contentSha256 } = writeBuild(folder);
    writeTest(folder, contentSha256);
    const { begun, destination } = aDestination();
    await publishBuild(destination, await openBuild(folder), TESTED);
    expect(await publishBuild(destination, await openBuild(folder), TESTED)).toMatchObject({ isNew: false });
    expect(begun).toHaveLength(1);
  });

  it.each([
    ['has no test', () => {}, 'there is no test of it'],
    ['has a test of something else', () => writeTest(folder, 'other'), 'one of other content'],
    ['failed its test', (content: string) => writeTest(folder, content, false), 'did not pass'],
    [
      'was booted in another way only',
      (content: string) => writeTest(folder, content, true, ['kernel']),
      'no test has booted it',
    ],
    ['was not booted at all', (content: string) => writeTest(folder, content, true, []), 'no test has booted it'],
    ['has a test that cannot be read', () => writeFileSync(join(folder, 'test.json'), '{'), 'there is no test of it'],
  ])('is refused for a build that %s', async (_, prepare, why) => {
    prepare(writeBuild(folder).contentSha256);
    const { blob, destination } = aDestination();
    const publishing = publishBuild(destination, await openBuild(folder), TESTED);
    await expect(publishing).rejects.toMatchObject({ code: 'image/untested', message: expect.stringContaining(why) });
    expect(blob.calls).toEqual([]);
  });

  it('untested leaves it excluded; the same build, once tested, is marked and offered without another upload', async () => {
    const { contentSha256 } = writeBuild(folder);
    const { begun, destination } = aDestination();
    const before = await publishBuild(destination, await openBuild(folder), UNTESTED);
    expect(before).toMatchObject({ isTested: false, isExcludedFromLatest: true });
    writeTest(folder, contentSha256);
    const after = await publishBuild(destination, await openBuild(folder), TESTED);
    expect(after).toMatchObject({ isTested: true, isExcludedFromLatest: false, isNew: false });
    expect(begun).toHaveLength(1);
  });

  it('never puts other bytes under a name that is taken', async () => {
    writeBuild(folder);
    const { destination } = aDestination();
    await publishBuild(destination, await openBuild(folder), UNTESTED);
    writeBuild(folder, { contentSha256: 'f'.repeat(64) });
    const again = publishBuild(destination, await openBuild(folder), UNTESTED);
    await expect(again).rejects.toMatchObject({ code: 'image/version-taken' });
  });

  it('takes a test for no test when it is one of a disk with other bytes', async () => {
    const record = writeBuild(folder);
    writeTest(folder, record.contentSha256);
    // The same content, made of it by other tools.
    writeBuild(folder, { vhd: Buffer.alloc(3 * 512, 9) });
    const { blob, destination } = aDestination();
    await expect(publishBuild(destination, await openBuild(folder), TESTED)).rejects.toMatchObject({
      code: 'image/untested',
      message: expect.stringContaining('other bytes'),
    });
    expect(blob.calls).toEqual([]);
  });

  it('marks no version as tested that was made of a disk with other bytes', async () => {
    writeBuild(folder);
    const { provider, destination } = aDestination();
    await publishBuild(destination, await openBuild(folder), UNTESTED);
    const { contentSha256 } = writeBuild(folder, { vhd: Buffer.alloc(3 * 512, 9) });
    writeTest(folder, contentSha256);
    const again = publishBuild(destination, await openBuild(folder), TESTED);
    await expect(again).rejects.toMatchObject({
      code: 'image/version-taken',
      message: expect.stringContaining('other bytes'),
    });
    expect((await listPublished(provider.gallery, 'images'))?.images).toMatchObject([
      { isTested: false, isExcludedFromLatest: true },
    ]);
  });

  it('says which disk is missing in a build without it', async () => {
    const { files, ...record } = writeBuild(folder);
    const { 'disk.vhd': _, ...others } = files;
    writeFileSync(join(folder, 'build.json'), JSON.stringify({ ...record, files: others }));
    const { destination } = aDestination();
    const publishing = publishBuild(destination, await openBuild(folder), UNTESTED);
    await expect(publishing).rejects.toMatchObject({ code: 'image/no-disk', next: expect.stringContaining('vhd') });
  });

  it('notices that somebody else took the name while the disk was on its way, and leaves that version as it is', async () => {
    const { contentSha256 } = writeBuild(folder);
    writeTest(folder, contentSha256);
    const { provider, destination } = aDestination();
    const { makeVersion } = destination;
    destination.makeVersion = async (build, definition, plan, options) => {
      const theirs = { ...plan, tags: { ...plan.tags, [IMAGE_TAGS.content]: 'of others' } };
      await makeVersion(build, definition, theirs, options);
    };
    const publishing = publishBuild(destination, await openBuild(folder), TESTED);
    await expect(publishing).rejects.toMatchObject({ code: 'image/version-taken' });
    expect((await listPublished(provider.gallery, 'images'))?.images).toMatchObject([
      { isTested: false, isExcludedFromLatest: true },
    ]);
  });

  it('notices a byte that changed since the build, before anything is sent', async () => {
    writeBuild(folder);
    writeFileSync(join(folder, 'disk.vhd'), Buffer.alloc(3 * 512, 8));
    const { blob, destination } = aDestination();
    const publishing = publishBuild(destination, await openBuild(folder), UNTESTED);
    await expect(publishing).rejects.toMatchObject({ code: 'image/build-damaged' });
    expect(blob.calls).toEqual([]);
  });

  it('does not believe a record that has the length of the disk wrong: half a disk would be published', async () => {
    const record = writeBuild(folder);
    const disk = { ...record.files['disk.vhd']!, bytes: 512 };
    writeFileSync(
      join(folder, 'build.json'),
      JSON.stringify({ ...record, files: { ...record.files, 'disk.vhd': disk } }),
    );
    const { blob, destination } = aDestination();
    const publishing = publishBuild(destination, await openBuild(folder), UNTESTED);
    await expect(publishing).rejects.toMatchObject({ code: 'image/build-damaged' });
    expect(blob.calls).toEqual([]);
  });

  it('goes on after it was cut off between the upload and the version', async () => {
    const { contentSha256 } = writeBuild(folder);
    writeTest(folder, contentSha256);
    const { blob, provider, begun, destination } = aDestination();
    await publishBuild(destination, await openBuild(folder), TESTED);
    provider.state.versions.clear();
    const sentBefore = blob.calls.filter((call) => call.startsWith('write')).length;
    expect(await publishBuild(destination, await openBuild(folder), TESTED)).toMatchObject({ isNew: true });
    expect(blob.calls.filter((call) => call.startsWith('write'))).toHaveLength(sentBefore);
    expect(begun).toHaveLength(2);
  });
});
