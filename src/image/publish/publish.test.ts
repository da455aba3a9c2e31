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

describe('publishBuild', () => {
  it('creates a version of a tested build that is excluded from latest until it is ready', async () => {
    const { contentSha256 } = writeBuild(folder);
    writeTest(folder, contentSha256);
    const { factory, blob, begun, destination } = aDestination();
    const published = await publishBuild(destination, await openBuild(folder), TESTED);
    expect(published).toMatchObject({
      ...{ gallery: 'images', definition: 'node-1.35.8', version: '2026.1116.0', contentSha256 },
      ...{ isTested: true, isExcludedFromLatest: false, isNew: true },
    });
    expect(begun).toMatchObject([
      { isExcludedFromLatest: true, blob: { uri: blob.url, storageAccountId: '/account' } },
    ]);
    expect(blob.bytes?.equals(readFileSync(join(folder, 'disk.vhd')))).toBe(true);
    expect((await listPublished(factory.gallery, 'images'))?.images).toMatchObject([
      { isTested: true, isExcludedFromLatest: false },
    ]);
  });

  it('is idempotent', async () => {
    const { contentSha256 } = writeBuild(folder);
    writeTest(folder, contentSha256);
    const { begun, destination } = aDestination();
    await publishBuild(destination, await openBuild(folder), TESTED);
    expect(await publishBuild(destination, await openBuild(folder), TESTED)).toMatchObject({ isNew: false });
    expect(begun).toHaveLength(1);
  });

  it.each([
    ['has no test', () => {}, 'it was not tested'],
    ['has a test for another build', () => writeTest(folder, 'other'), 'for other content'],
    ['failed its test', (content: string) => writeTest(folder, content, false), 'its test failed'],
    [
      'was booted only with another method',
      (content: string) => writeTest(folder, content, true, ['kernel']),
      'no test has booted it',
    ],
    ['was not booted', (content: string) => writeTest(folder, content, true, []), 'no test has booted it'],
    ['has an unreadable test', () => writeFileSync(join(folder, 'test.json'), '{'), 'it was not tested'],
  ])('refuses a build that %s', async (_, prepare, why) => {
    prepare(writeBuild(folder).contentSha256);
    const { blob, destination } = aDestination();
    const publishing = publishBuild(destination, await openBuild(folder), TESTED);
    await expect(publishing).rejects.toMatchObject({ code: 'image/untested', message: expect.stringContaining(why) });
    expect(blob.calls).toEqual([]);
  });

  it('excludes an untested version; once tested, it tags and includes it without another upload', async () => {
    const { contentSha256 } = writeBuild(folder);
    const { begun, destination } = aDestination();
    const before = await publishBuild(destination, await openBuild(folder), UNTESTED);
    expect(before).toMatchObject({ isTested: false, isExcludedFromLatest: true });
    writeTest(folder, contentSha256);
    const after = await publishBuild(destination, await openBuild(folder), TESTED);
    expect(after).toMatchObject({ isTested: true, isExcludedFromLatest: false, isNew: false });
    expect(begun).toHaveLength(1);
  });

  it('never puts other bytes under an existing name', async () => {
    writeBuild(folder);
    const { destination } = aDestination();
    await publishBuild(destination, await openBuild(folder), UNTESTED);
    writeBuild(folder, { contentSha256: 'f'.repeat(64) });
    const again = publishBuild(destination, await openBuild(folder), UNTESTED);
    await expect(again).rejects.toMatchObject({ code: 'image/version-taken' });
  });

  it('ignores a test of a disk with other bytes', async () => {
    const record = writeBuild(folder);
    writeTest(folder, record.contentSha256);
    // The same content, packed by other tools.
    writeBuild(folder, { vhd: Buffer.alloc(3 * 512, 9) });
    const { blob, destination } = aDestination();
    await expect(publishBuild(destination, await openBuild(folder), TESTED)).rejects.toMatchObject({
      code: 'image/untested',
      message: expect.stringContaining('other bytes'),
    });
    expect(blob.calls).toEqual([]);
  });

  it('does not tag a version as tested if its disk has other bytes', async () => {
    writeBuild(folder);
    const { factory, destination } = aDestination();
    await publishBuild(destination, await openBuild(folder), UNTESTED);
    const { contentSha256 } = writeBuild(folder, { vhd: Buffer.alloc(3 * 512, 9) });
    writeTest(folder, contentSha256);
    const again = publishBuild(destination, await openBuild(folder), TESTED);
    await expect(again).rejects.toMatchObject({
      code: 'image/version-taken',
      message: expect.stringContaining('other bytes'),
    });
    expect((await listPublished(factory.gallery, 'images'))?.images).toMatchObject([
      { isTested: false, isExcludedFromLatest: true },
    ]);
  });

  it('names the disk that the build lacks', async () => {
    const { files, ...record } = writeBuild(folder);
    const { 'disk.vhd': _, ...others } = files;
    writeFileSync(join(folder, 'build.json'), JSON.stringify({ ...record, files: others }));
    const { destination } = aDestination();
    const publishing = publishBuild(destination, await openBuild(folder), UNTESTED);
    await expect(publishing).rejects.toMatchObject({ code: 'image/no-disk', next: expect.stringContaining('vhd') });
  });

  it('leaves a version unchanged that another process created during the upload', async () => {
    const { contentSha256 } = writeBuild(folder);
    writeTest(folder, contentSha256);
    const { factory, destination } = aDestination();
    const { makeVersion } = destination;
    destination.makeVersion = async (build, definition, plan, options) => {
      const theirs = { ...plan, tags: { ...plan.tags, [IMAGE_TAGS.content]: 'of others' } };
      await makeVersion(build, definition, theirs, options);
    };
    const publishing = publishBuild(destination, await openBuild(folder), TESTED);
    await expect(publishing).rejects.toMatchObject({ code: 'image/version-taken' });
    expect((await listPublished(factory.gallery, 'images'))?.images).toMatchObject([
      { isTested: false, isExcludedFromLatest: true },
    ]);
  });

  it('detects a changed byte before it sends anything', async () => {
    writeBuild(folder);
    writeFileSync(join(folder, 'disk.vhd'), Buffer.alloc(3 * 512, 8));
    const { blob, destination } = aDestination();
    const publishing = publishBuild(destination, await openBuild(folder), UNTESTED);
    await expect(publishing).rejects.toMatchObject({ code: 'image/build-damaged' });
    expect(blob.calls).toEqual([]);
  });

  it('refuses a record with a wrong disk length, which would publish half a disk', async () => {
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

  it('continues after an interruption between upload and version', async () => {
    const { contentSha256 } = writeBuild(folder);
    writeTest(folder, contentSha256);
    const { blob, factory, begun, destination } = aDestination();
    await publishBuild(destination, await openBuild(folder), TESTED);
    factory.state.versions.clear();
    const sentBefore = blob.calls.filter((call) => call.startsWith('write')).length;
    expect(await publishBuild(destination, await openBuild(folder), TESTED)).toMatchObject({ isNew: true });
    expect(blob.calls.filter((call) => call.startsWith('write'))).toHaveLength(sentBefore);
    expect(begun).toHaveLength(2);
  });
});
