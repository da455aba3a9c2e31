import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { checksumFile } from '../../../host/file-sum.ts';
import type { Cache } from '../../fetch/cache.ts';
import { sumSparse } from '../disk/sparse-copy.ts';
import { aLock, anArtifact, SOME_TOOLS } from '../locks.testing.ts';
import { baseLayer, layerKey } from './base-layer.ts';

const top = mkdtempSync(join(tmpdir(), 'headstart-layer-'));
afterAll(() => rmSync(top, { recursive: true }));

const lock = aLock([anArtifact('libc6', 'deb')]);
const layer = baseLayer(lock, SOME_TOOLS);
const { key } = layer;
const CONTENT = Buffer.alloc(200_000, 7);

/** A fake qemu-img that reports data ranges. */
const run = async () => ({
  outcome: 'exited' as const,
  code: 0,
  stdout: Buffer.from(JSON.stringify([{ start: 0, length: CONTENT.length, data: true }])),
  stderr: '',
});

async function aLayer(name: string) {
  const folder = join(top, name, 'layers', key);
  mkdirSync(folder, { recursive: true });
  const files: Record<string, unknown> = {};
  for (const part of ['vmlinuz', 'initrd.img', 'vmlinux', 'initrd.cpio', 'loader.efi']) {
    writeFileSync(join(folder, part), part);
    files[part] = await checksumFile(join(folder, part));
  }
  writeFileSync(join(folder, 'root.ext4'), CONTENT);
  const rootSum = await sumSparse({ file: join(folder, 'root.ext4'), ranges: [{ start: 0, end: CONTENT.length }] });
  const record = { key, kernelRelease: '6.1', rootSum, packages: [], files };
  writeFileSync(join(folder, 'layer.json'), JSON.stringify(record));
  const cache = { folder: join(top, name) } as Partial<Cache> as Cache;
  return { folder, deps: { cache, run, isRoot: true, tools: SOME_TOOLS, folder: join(top, name) } };
}

describe('baseLayer', () => {
  it('reuses an unchanged layer', async () => {
    const { deps } = await aLayer('good');
    expect(layer.isCached(deps.cache.folder)).toBe(true);
    const content = await layer.verify(deps);
    expect(content).toMatchObject({ kernel: { release: '6.1', vmlinuz: Buffer.from('vmlinuz') }, packages: [] });
    await layer.copyTo({ file: join(top, 'copy'), startBytes: 0 }, deps);
    expect((await checksumFile(join(top, 'copy'))).bytes).toBe(CONTENT.length);
  });

  it('moves aside and names a layer with a changed byte in its file system', async () => {
    const { folder, deps } = await aLayer('root');
    await layer.verify(deps);
    writeFileSync(join(folder, 'root.ext4'), CONTENT.with(123_456, 8));
    await expect(layer.copyTo({ file: join(top, 'copy2'), startBytes: 0 }, deps)).rejects.toMatchObject({
      code: 'image/layer-damaged',
      message: expect.stringContaining('root.ext4'),
    });
    expect(layer.isCached(deps.cache.folder)).toBe(false);
  });

  it.each(['vmlinuz', 'loader.efi'])('moves aside a layer whose %s changed or is missing', async (part) => {
    const { folder, deps } = await aLayer(`changed-${part}`);
    writeFileSync(join(folder, part), 'other');
    await expect(layer.verify(deps)).rejects.toMatchObject({ code: 'image/layer-damaged' });
    const again = await aLayer(`gone-${part}`);
    rmSync(join(again.folder, part));
    await expect(layer.verify(again.deps)).rejects.toMatchObject({ code: 'image/layer-damaged' });
  });

  it('has another key for other packages, day or size, and the same for another Kubernetes version', () => {
    const others = [
      aLock([anArtifact('libc6', 'deb', { sha256: 'cd'.repeat(32) })]),
      aLock(lock.artifacts, { base: { ...lock.base, date: '2026.1117' } }),
      aLock(lock.artifacts, { disk: { ...lock.disk, sizeMb: 4096 } }),
    ];
    const of = (other: typeof lock) => layerKey(other, SOME_TOOLS);
    expect(new Set([key, ...others.map(of)]).size).toBe(4);
    expect(of(aLock([...lock.artifacts, anArtifact('kubelet', 'binary')]))).toBe(key);
  });

  it('has another key for other tools, except qemu-img', () => {
    expect(layerKey(lock, { ...SOME_TOOLS, mmdebstrap: '1.5' })).not.toBe(key);
    expect(layerKey(lock, { ...SOME_TOOLS, mke2fs: '1.48' })).not.toBe(key);
    expect(layerKey(lock, { ...SOME_TOOLS, 'qemu-img': '9.0' })).toBe(key);
  });

  it('does not exist before it was made', async () => {
    const { deps } = await aLayer('other');
    const other = baseLayer(aLock([anArtifact('libc6', 'deb', { sha256: 'cd'.repeat(32) })]), SOME_TOOLS);
    expect(other.isCached(deps.cache.folder)).toBe(false);
    expect(await other.verify(deps)).toBeUndefined();
  });

  it('keeps a layer that another build made meanwhile', async () => {
    const { deps } = await aLayer('raced');
    const done: string[] = [];
    await layer.make({ ...deps, onDone: (words) => done.push(words) });
    expect(done).toEqual([]);
  });
});
