import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, expect, test } from 'vitest';
import type { Ran, RunCommand } from '../../../base/command.ts';
import { imageInArchive } from './oci-archive.ts';

/** A fake tar(1) that extracts one file of an archive. */
function tarOf(files: Record<string, unknown>): RunCommand {
  return (argv) => {
    const found = files[argv.at(-1)!];
    const stdout = Buffer.from(typeof found === 'string' ? found : JSON.stringify(found ?? null));
    const ran: Ran = { outcome: 'exited', code: found === undefined ? 2 : 0, stdout, stderr: '' };
    return Promise.resolve(ran);
  };
}

const folder = mkdtempSync(join(tmpdir(), 'headstart-oci-archive-'));
afterAll(() => rmSync(folder, { recursive: true }));
const block = Buffer.alloc(1024);
block.write('ustar', 257);
const archive = join(folder, 'a.tar');
writeFileSync(archive, block);

const sum = (text: string) => createHash('sha256').update(text).digest('hex');
const descriptor = (text: string, more: object = {}) => ({ digest: `sha256:${sum(text)}`, size: text.length, ...more });
const blob = (text: string) => `blobs/sha256/${sum(text)}`;
const platform = (architecture: string) => ({ platform: { os: 'linux', architecture } });
const MANIFEST = { config: descriptor('config'), layers: [descriptor('one'), descriptor('three')] };

const inspect = (files: Record<string, unknown>) =>
  imageInArchive(archive, 'a.example/b:1', { run: tarOf(files), architecture: 'amd64' });

test('imageInArchive returns digest, configuration digest and layer size of one image', async () => {
  const files = { 'index.json': { manifests: [descriptor('m')] }, [blob('m')]: MANIFEST };
  expect(await inspect(files)).toEqual({
    digest: descriptor('m').digest,
    configDigest: descriptor('config').digest,
    bytes: 'one'.length + 'three'.length,
  });
});

test('imageInArchive returns the digest of an index, and the configuration of our architecture', async () => {
  const manifests = [descriptor('arm', platform('arm64')), descriptor('m', platform('amd64'))];
  const files = { 'index.json': { manifests: [descriptor('i')] }, [blob('i')]: { manifests }, [blob('m')]: MANIFEST };
  expect(await inspect(files)).toMatchObject({
    digest: descriptor('i').digest,
    configDigest: descriptor('config').digest,
  });
});

test.each<[string, Record<string, unknown>, string]>([
  ['no layout', {}, 'it has no index.json'],
  ['no image', { 'index.json': { manifests: [] } }, 'contains 0 images'],
  ['two images', { 'index.json': { manifests: [descriptor('a'), descriptor('b')] } }, 'contains 2 images'],
  ['invalid JSON', { 'index.json': '{' }, 'is not JSON'],
  ['another document', { 'index.json': { mediaType: 'x' } }, 'index.json in its archive: manifests'],
  [
    'a digest that is a path',
    { 'index.json': { manifests: [{ digest: 'sha256:../../x', size: 1 }] } },
    'manifests.0.digest',
  ],
  ['a missing manifest', { 'index.json': { manifests: [descriptor('m')] } }, `it has no ${blob('m')}`],
  [
    'no image for this architecture',
    {
      'index.json': { manifests: [descriptor('i')] },
      [blob('i')]: { manifests: [descriptor('arm', platform('arm64'))] },
    },
    'no image for linux/amd64',
  ],
])('%s gives an error that names the image', async (_, files, why) => {
  await expect(inspect(files)).rejects.toMatchObject({
    code: 'image/bad-oci-archive',
    message: expect.stringMatching(/^cannot use the container image a\.example\/b:1: /),
  });
  await expect(inspect(files)).rejects.toThrow(why);
});

test.each([
  ['packed', gzipSync(block)],
  ['empty', Buffer.alloc(0)],
])('an archive that is %s is refused before tar runs', async (_, bytes) => {
  const other = join(folder, 'other');
  writeFileSync(other, bytes);
  const run: RunCommand = () => Promise.reject(new Error('nothing is run'));
  await expect(imageInArchive(other, 'a.example/b:1', { run, architecture: 'amd64' })).rejects.toMatchObject({
    code: 'image/bad-oci-archive',
    message: expect.stringContaining('not an uncompressed tar'),
  });
});
