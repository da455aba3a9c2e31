import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { imageVersionLabel } from '../publish/names.ts';
import { sha256Of } from '../testing.ts';
import type { BuildRecord } from './contract.ts';
import type { Format } from './disk/disk.ts';
import { buildFolder, findImage, isImageBuilt, recordOfContent } from './find-image.ts';
import { imageContent } from './image-content.ts';
import { aLock, anArtifact, SOME_TOOLS } from './locks.testing.ts';

const top = mkdtempSync(join(tmpdir(), 'headstart-find-'));
afterAll(() => rmSync(top, { recursive: true }));

const lock = aLock([anArtifact('libc6', 'deb')]);
const target = { lock, kubernetes: '1.35.8' };
const placesIn = (name: string, formats: readonly Format[] = ['qcow2']) => ({
  out: join(top, name),
  formats,
  tools: SOME_TOOLS,
});

/** Writes an image as a build leaves it, with changes. */
async function aBuild(name: string, written = 'the disk'): Promise<string> {
  const folder = buildFolder(target, join(top, name));
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'disk.qcow2'), written);
  const record: BuildRecord = {
    ...{ apiVersion: 'headstart.dev/v1', kind: 'ImageBuild', name: lock.name, architecture: 'amd64' },
    ...{
      kubernetes: target.kubernetes,
      version: imageVersionLabel(target.kubernetes, lock.base),
      kernelRelease: '6.1',
    },
    ...{ kernelArgs: 'rw', contentBytes: 1, contentSha256: await imageContent(target, SOME_TOOLS) },
    base: { origin: lock.base.origin, date: lock.base.date, patch: lock.base.patch },
    ...{ root: 'PARTUUID=11223344-5566-8788-89aa-bbccddeeff00', diskBytes: 1 },
    files: { 'disk.qcow2': { sha256: sha256Of('the disk'), bytes: 'the disk'.length } },
  };
  writeFileSync(join(folder, 'build.json'), JSON.stringify(record));
  return folder;
}

describe('findImage', () => {
  it('looks in a folder named after image, Kubernetes version and base', () => {
    expect(buildFolder(target, '/out')).toBe('/out/node-1.35.8-2026.1116.0');
  });

  it('finds an unchanged image with the same content and the requested formats', async () => {
    const folder = await aBuild('whole');
    const waiting: string[] = [];
    const found = await findImage(target, placesIn('whole'), { onWaiting: (what) => waiting.push(what) });
    expect(found).toMatchObject({ folder, isNew: false, warnings: [], record: { kubernetes: '1.35.8' } });
    expect(waiting).toEqual(['the checksum of disk.qcow2']);
  });

  it('finds nothing for other content, a missing format, or an empty folder', async () => {
    await aBuild('other');
    expect(await isImageBuilt(target, placesIn('other'))).toBe(true);
    expect(await isImageBuilt(target, placesIn('other', ['qcow2', 'vhd']))).toBe(false);
    expect(await isImageBuilt({ ...target, kubernetes: '1.35.7' }, placesIn('other'))).toBe(false);
    const tools = { ...SOME_TOOLS, mke2fs: '1.48' };
    expect(await findImage(target, { ...placesIn('other'), tools }, {})).toBeUndefined();
    expect(await findImage(target, placesIn('none'), {})).toBeUndefined();
  });

  it('rejects a damaged image that isImageBuilt still accepts', async () => {
    await aBuild('damaged', 'the dusk');
    expect(await isImageBuilt(target, placesIn('damaged'))).toBe(true);
    expect(await findImage(target, placesIn('damaged'), {})).toBeUndefined();
  });

  it('reports an interruption instead of damage', async () => {
    await aBuild('interrupted');
    const signal = AbortSignal.abort(new Error('enough'));
    await expect(findImage(target, placesIn('interrupted'), { signal })).rejects.toThrow('enough');
  });

  it('lets recordOfContent return only a record of the same content', async () => {
    const folder = await aBuild('record');
    expect(await recordOfContent(folder, await imageContent(target, SOME_TOOLS))).toMatchObject({ name: 'node' });
    expect(await recordOfContent(folder, sha256Of('another'))).toBeUndefined();
    writeFileSync(join(folder, 'build.json'), 'not JSON');
    expect(await recordOfContent(folder, await imageContent(target, SOME_TOOLS))).toBeUndefined();
  });
});
