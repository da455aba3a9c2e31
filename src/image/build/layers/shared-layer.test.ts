import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import type { RunCommand } from '../../../base/command.ts';
import type { Cache } from '../../fetch/cache.ts';
import type { ImageBuildDeps, ImageTarget } from '../contract.ts';
import { sumSparse } from '../disk/sparse-copy.ts';
import { aLock, anArtifact, SOME_TOOLS } from '../locks.testing.ts';
import { baseLayer } from './base-layer.ts';
import { isSharedLayerCached, sharedKey, sharedLayer } from './shared-layer.ts';

const top = mkdtempSync(join(tmpdir(), 'headstart-shared-'));
afterAll(() => rmSync(top, { recursive: true }));

/** Independent of the free space of this machine. */
const SMALL = { budgetMb: 1, warnPercent: 75, sizeMb: 1 };
const CONTENT = Buffer.alloc(100_000, 7);
/** Fakes qemu-img, which reports data ranges, rm, and namespaces. */
const run: RunCommand = async (argv) => {
  if (argv.includes('rm')) rmSync(argv.at(-1)!, { recursive: true, force: true });
  const isMap = argv.includes('qemu-img');
  const map = () => JSON.stringify([{ start: 0, length: statSync(argv.at(-1)!).size, data: true }]);
  return { outcome: 'exited', code: 0, stdout: Buffer.from(isMap ? map() : ''), stderr: '' };
};

const several = { lock: aLock([], { disk: SMALL }), kubernetes: '1.35.8' };
const single = { lock: aLock([], { kubernetes: ['1.35.8'], disk: SMALL }), kubernetes: '1.35.8' };
const baseOf = ({ lock }: ImageTarget) => baseLayer(lock, SOME_TOOLS);
const layerOf = (target: ImageTarget) => sharedLayer(target, baseOf(target));

/** A cache with a base layer. */
async function withBase(name: string, target: ImageTarget) {
  const { key } = baseOf(target);
  const folder = join(top, name, 'layers', key);
  mkdirSync(folder, { recursive: true });
  const file = join(folder, 'root.ext4');
  writeFileSync(file, CONTENT);
  const rootSum = await sumSparse({ file, ranges: [{ start: 0, end: CONTENT.length }] });
  const record = { key, kernelRelease: '6.1', rootSum, packages: [], files: {} };
  writeFileSync(join(folder, 'layer.json'), JSON.stringify(record));
  const cache = { folder: join(top, name) } as Partial<Cache> as Cache;
  const done: string[] = [];
  const deps: ImageBuildDeps = {
    ...{ cache, run, isRoot: true, tools: SOME_TOOLS, folder: join(top, name) },
    onDone: (words) => done.push(words),
  };
  return { folder, deps, done };
}

describe('sharedLayer', () => {
  const at = (name: string, startBytes = 0) => ({ file: join(top, name), startBytes });

  it('is cached for a lock with several versions, and copied unchanged to each image', async () => {
    const { folder, deps } = await withBase('kept', several);
    const layer = layerOf(several);
    expect(isSharedLayerCached(several)).toBe(true);
    expect(layer.isCached(deps.cache.folder)).toBe(false);
    await layer.make(deps);
    rmSync(folder, { recursive: true }); // not needed any more
    await layer.make(deps);
    await layer.copyTo(at('one'), deps);
    expect(readFileSync(join(top, 'one')).equals(CONTENT)).toBe(true);
    await layerOf({ ...several, kubernetes: '1.35.7' }).copyTo(at('two', 5000), deps);
    expect(readFileSync(join(top, 'two')).equals(Buffer.concat([Buffer.alloc(5000), CONTENT]))).toBe(true);
    expect(readdirSync(join(top, 'kept/layers'))).toEqual([layer.key]);
    expect(await layer.verify(deps)).toEqual([]);
  });

  it('is written directly into the image for a lock with one version, with the same bytes', async () => {
    const { folder, deps, done } = await withBase('single', single);
    expect(isSharedLayerCached(single)).toBe(false);
    await layerOf(single).copyTo(at('only'), deps);
    expect(readdirSync(join(top, 'single/layers'))).toEqual([basename(folder)]);
    expect(readFileSync(join(top, 'only')).equals(CONTENT)).toBe(true);
    expect(done).toContain('base copied');
  });

  it('is copied for a lock with one version if another lock cached it', async () => {
    const { deps, done } = await withBase('other lock', several);
    expect(layerOf(single).key).toBe(layerOf(several).key);
    await layerOf(several).make(deps);
    done.length = 0;
    await layerOf(single).copyTo(at('copied'), deps);
    expect(done).toEqual(['shared layer copied']);
  });

  it('is moved aside and named if one byte changed', async () => {
    const { deps } = await withBase('changed', several);
    const layer = layerOf(several);
    await layer.make(deps);
    const folder = join(top, 'changed/layers', layer.key);
    rmSync(join(folder, 'root.ext4'));
    writeFileSync(join(folder, 'root.ext4'), CONTENT.with(77_777, 8));
    await expect(layer.copyTo(at('second'), deps)).rejects.toMatchObject({
      code: 'image/layer-damaged',
      message: expect.stringContaining('root.ext4'),
    });
    expect(existsSync(folder)).toBe(false);
  });

  it('is not made from a damaged base, and leaves nothing', async () => {
    const { folder, deps } = await withBase('bad base', several);
    writeFileSync(join(folder, 'root.ext4'), CONTENT.with(77_777, 8));
    await expect(layerOf(several).make(deps)).rejects.toMatchObject({ code: 'image/layer-damaged' });
    expect(readdirSync(join(top, 'bad base/layers'))).toEqual([]);
  });

  it('has another key for other programs, and the same for another kubelet', () => {
    const base = { key: 'base' };
    const kubelet = anArtifact('kubelet', 'binary', { kubernetes: '1.35.8' });
    const key = (...artifacts: Parameters<typeof aLock>[0]) =>
      sharedKey({ lock: aLock(artifacts), kubernetes: '1.35.8' }, base);
    expect(key(kubelet)).toBe(key());
    const keys = [
      key(),
      key(anArtifact('a', 'binary')),
      key(anArtifact('a', 'archive')),
      key(anArtifact('p', 'oci-image')),
    ];
    expect(new Set(keys).size).toBe(4);
  });

  it('has another key for another containerd if that imports container images', () => {
    const key = (sha256: string, ...others: Parameters<typeof aLock>[0]) => {
      const containerd = anArtifact('containerd', 'archive', { kubernetes: '1.35.8', sha256: sha256.repeat(32) });
      return sharedKey({ lock: aLock([containerd, ...others]), kubernetes: '1.35.8' }, { key: 'base' });
    };
    const pause = anArtifact('pause', 'oci-image');
    expect(key('ab', pause)).not.toBe(key('cd', pause));
    expect(key('ab')).toBe(key('cd'));
  });
});
