// e2e/image-publish.test.ts: does a disk reach Microsoft's storage emulator, and become a version in the simulator, after interruptions and damage?
import { createHash, randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { BlobServiceClient } from '@azure/storage-blob';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { stringAt } from '../sims/azure/service/json.ts';
import { runCommand } from '../src/base/command.ts';
import type { OpenGallery } from '../src/cli/compose/open-gallery.ts';
import { imageList } from '../src/cli/image/list.ts';
import { imagePromote } from '../src/cli/image/promote.ts';
import { imagePublish } from '../src/cli/image/publish.ts';
import { runVerb } from '../src/cli/testing.ts';
import { azurePageBlob } from '../src/image/publish/azure-page-blob.ts';
import { writeBuild, writeTest } from '../src/image/publish/testing.ts';
import { uploadDisk } from '../src/image/publish/upload-disk.ts';
import { createAzureProvider } from '../src/vms/azure/azure-provider.ts';
import { type AzureLab, azureLab } from '../src/vms/azure/testing.ts';
import { type Azurite, startAzurite } from './programs/ensure-azurite.ts';

const MIB = 1 << 20;
let azurite: Azurite;
let lab: AzureLab;
let folder: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'headstart-image-publish-'));
  azurite = await startAzurite();
  lab = await azureLab({ mode: 'Uniform' });
});
afterAll(async () => {
  await lab?.end();
  await azurite?.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** 24 MiB and a footer; a third of it is not empty, in scattered pieces. */
function aDisk(): Buffer {
  const disk = Buffer.alloc(24 * MIB + 512);
  for (let piece = 0; piece < 24; piece += 3) randomBytes(MIB).copy(disk, piece * MIB);
  randomBytes(512).copy(disk, 24 * MIB);
  return disk;
}

function onDisk(name: string, content = aDisk()) {
  const file = join(folder, `${name}.vhd`);
  writeFileSync(file, content);
  return { file, bytes: content.length, sha256: createHash('sha256').update(content).digest('hex'), content };
}

const openBlob = (name: string) =>
  azurePageBlob({ endpoint: '', container: 'images', name }, { connectionString: azurite.connectionString });

/** Read by another client. */
const download = (name: string) =>
  BlobServiceClient.fromConnectionString(azurite.connectionString.reveal())
    .getContainerClient('images')
    .getPageBlobClient(name)
    .downloadToBuffer();

describe('the upload', () => {
  it('uploads every byte, without empty pages', async () => {
    const disk = onDisk('whole');
    const blob = await openBlob('whole');
    const { sentBytes } = await uploadDisk(blob, disk);
    expect(sentBytes).toBe(8 * MIB + 512);
    expect((await download('whole')).equals(disk.content)).toBe(true);
    expect((await blob.ranges()).reduce((sum, { bytes }) => sum + bytes, 0)).toBe(8 * MIB + 512);
    expect(await uploadDisk(blob, disk)).toEqual({ sentBytes: 0, foundBytes: 8 * MIB + 512 });
  });

  it.each([1, 4, 7])('killed after %i writes resumes with the same command', async (writes) => {
    const name = `killed-${writes}`;
    const disk = onDisk(name);
    const victim = fileURLToPath(new URL('./labs/upload-victim.ts', import.meta.url));
    const env = { ...process.env, AZURE_STORAGE_CONNECTION_STRING: azurite.connectionString.reveal() };
    const ran = await runCommand(
      [process.execPath, victim, disk.file, disk.sha256, String(disk.bytes), name, String(writes)],
      { env, timeoutMs: 100_000 },
    );
    expect(ran).toMatchObject({ outcome: 'exited', code: null, stderr: '' });
    const { sentBytes, foundBytes } = await uploadDisk(await openBlob(name), disk);
    expect(sentBytes).toBeGreaterThan(0);
    expect(sentBytes + foundBytes).toBe(8 * MIB + 512);
    expect((await download(name)).equals(disk.content)).toBe(true);
  });

  it('finds a changed byte in the blob, and repairs it', async () => {
    const disk = onDisk('changed');
    const blob = await openBlob('changed');
    await uploadDisk(blob, disk);
    await blob.write(3 * MIB, Buffer.alloc(512, 1));
    await blob.write(MIB, Buffer.alloc(512, 1));
    await uploadDisk(blob, disk);
    expect((await download('changed')).equals(disk.content)).toBe(true);
  });

  it('does not touch a blob that is another disk', async () => {
    const disk = onDisk('taken');
    await uploadDisk(await openBlob('taken'), disk);
    const other = { ...onDisk('other'), bytes: disk.bytes };
    await expect(uploadDisk(await openBlob('taken'), other)).rejects.toMatchObject({ code: 'image/other-blob' });
    expect((await download('taken')).equals(disk.content)).toBe(true);
  });
});

describe('headstart image publish, promote and list', () => {
  const open: OpenGallery = async ({ gallery }) => ({
    kind: 'azure',
    name: gallery,
    provider: createAzureProvider(lab.settings, lab.deps),
    clock: lab.clock,
    settings: lab.settings,
    credential: lab.deps.credential,
  });
  const world = () => ({ env: { AZURE_STORAGE_CONNECTION_STRING: azurite.connectionString.reveal() } });
  const region = () => Object.values(lab.sim.inspect().scaleSets)[0]!.location;
  const publish = (build: string, ...more: string[]) =>
    runVerb(
      imagePublish(open),
      [build, '--gallery', 'images', '--region', region(), '--storage-account', 'images1', '--json', ...more],
      world(),
    );
  const result = (stdout: string) => JSON.parse(stdout.trim().split('\n').at(-1)!) as Record<string, unknown>;

  it('a tested build becomes a version, made from the blob of its disk; the key appears nowhere', async () => {
    const build = join(folder, 'build');
    const vhd = aDisk();
    const { contentSha256 } = writeBuild(build, { vhd });
    expect(await publish(build)).toMatchObject({ code: 1, stderr: expect.stringContaining('image/untested') });
    writeTest(build, contentSha256);
    const ran = await publish(build);
    expect(ran.stderr).toBe('');
    expect(ran.code).toBe(0);
    expect(result(ran.stdout)).toMatchObject({
      ...{ kind: 'PublishedImage', definition: 'node-1.35.8', version: '2026.1116.0', contentSha256 },
      ...{ isTested: true, isExcludedFromLatest: false, isNew: true },
    });
    const [version] = Object.values(lab.sim.inspect().versions);
    const uri = stringAt(version?.properties, 'storageProfile', 'osDiskImage', 'source', 'uri') ?? '';
    expect((await download(uri.split('/').at(-1)!)).equals(vhd)).toBe(true);
    const key = /AccountKey=([^;]+)/.exec(azurite.connectionString.reveal())![1]!;
    expect(JSON.stringify([ran, lab.sim.inspect()])).not.toContain(key);
    expect(result((await publish(build)).stdout)).toMatchObject({ isNew: false });
  });

  it('is promoted through the channels in order', async () => {
    const promote = (to: string) =>
      runVerb(imagePromote(open), ['node-1.35.8/2026.1116.0', '--gallery', 'images', '--to', to], world());
    expect(await promote('stable')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('has not been in staging'),
    });
    for (const channel of ['dev', 'staging', 'stable']) expect(await promote(channel)).toMatchObject({ code: 0 });
    const { stdout } = await runVerb(imageList(open), ['--gallery', 'images', '--json'], world());
    expect(JSON.parse(stdout)).toMatchObject({
      kind: 'ImageList',
      images: [{ version: '2026.1116.0', channels: ['dev', 'staging', 'stable'], isTested: true }],
    });
  });

  it('a wrong checksum is noticed before anything is sent', async () => {
    const build = join(folder, 'wrong');
    const files = { ...writeBuild(build).files, 'disk.vhd': { sha256: '0'.repeat(64), bytes: 1536 } };
    const base = { origin: 'debian:bookworm', date: '2026.1117', patch: 0 };
    writeBuild(build, { files, base, version: '1.35.8-2026.1117.0' });
    const before = lab.sim.requests.length;
    const ran = await publish(build, '--untested');
    expect(ran).toMatchObject({ code: 1, stderr: expect.stringContaining('image/build-damaged') });
    expect(lab.sim.requests.slice(before).filter(({ method }) => method !== 'GET')).toEqual([]);
  });
});
