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
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import type { RunCommand } from '../../base/command.ts';
import type { Cache } from '../fetch/cache.ts';
import type { BaseLayer } from './base/base-layer.ts';
import { sumSparse } from './disk/sparse-copy.ts';
import { aLock, anArtifact, SOME_TOOLS } from './locks.testing.ts';
import { keepShared, sharedKey, takeShared } from './shared-layer.ts';

const top = mkdtempSync(join(tmpdir(), 'headstart-shared-'));
afterAll(() => rmSync(top, { recursive: true }));

/** Whatever room this machine has. */
const SMALL = { budgetMb: 1, warnPercent: 75, sizeMb: 1 };
const CONTENT = Buffer.alloc(100_000, 7);
/** qemu-img, asked where there is data; rm; and a machine that has namespaces. */
const run: RunCommand = async (argv) => {
  if (argv.includes('rm')) rmSync(argv.at(-1)!, { recursive: true, force: true });
  const isMap = argv.includes('qemu-img');
  const map = () => JSON.stringify([{ start: 0, length: statSync(argv.at(-1)!).size, data: true }]);
  return { outcome: 'exited', code: 0, stdout: Buffer.from(isMap ? map() : ''), stderr: '' };
};

async function aBase(name: string) {
  const folder = join(top, name, 'layers', 'base');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'root.ext4'), CONTENT);
  const rootSum = await sumSparse({ file: join(folder, 'root.ext4'), ranges: [{ start: 0, end: CONTENT.length }] });
  const base = { folder, key: 'base', rootSum, packages: [] } as Partial<BaseLayer> as BaseLayer;
  const cache = { folder: join(top, name) } as Partial<Cache> as Cache;
  return { base, edges: { cache, run, isRoot: true, tools: SOME_TOOLS, folder: join(top, name) } };
}

describe('what all images of a lock share', () => {
  const at = (name: string, startBytes = 0) => ({ file: join(top, name), startBytes });

  it('is kept for all of them, and given to each as it was, wherever it is to go', async () => {
    const { base, edges } = await aBase('kept');
    const lock = aLock([], { disk: SMALL });
    const target = { lock, kubernetes: '1.35.8' };
    await keepShared(target, base, edges);
    rmSync(base.folder, { recursive: true }); // it is not needed again
    await keepShared(target, base, edges);
    await takeShared(target, base, at('one'), edges);
    expect(readFileSync(join(top, 'one')).equals(CONTENT)).toBe(true);
    await takeShared({ lock, kubernetes: '1.35.7' }, base, at('two', 5000), edges);
    expect(readFileSync(join(top, 'two')).equals(Buffer.concat([Buffer.alloc(5000), CONTENT]))).toBe(true);
    expect(readdirSync(join(top, 'kept/layers'))).toEqual([sharedKey(target, base)]);
  });

  it('is not kept for nobody, and is the same', async () => {
    const { base, edges } = await aBase('single');
    const target = { lock: aLock([], { kubernetes: ['1.35.8'], disk: SMALL }), kubernetes: '1.35.8' };
    await keepShared(target, base, edges);
    await takeShared(target, base, at('only'), edges);
    expect(readdirSync(join(top, 'single/layers'))).toEqual(['base']);
    expect(readFileSync(join(top, 'only')).equals(CONTENT)).toBe(true);
  });

  it('is put aside, and named, when one byte of it was changed', async () => {
    const { base, edges } = await aBase('changed');
    const target = { lock: aLock([], { disk: SMALL }), kubernetes: '1.35.8' };
    await keepShared(target, base, edges);
    const folder = join(top, 'changed/layers', sharedKey(target, base));
    rmSync(join(folder, 'root.ext4'));
    writeFileSync(join(folder, 'root.ext4'), CONTENT.with(77_777, 8));
    await expect(takeShared(target, base, at('second'), edges)).rejects.toMatchObject({
      code: 'image/layer-damaged',
      message: expect.stringContaining('root.ext4'),
    });
    expect(existsSync(folder)).toBe(false);
  });

  it('is not made of a base with a changed byte, and nothing of it is left', async () => {
    const { base, edges } = await aBase('bad base');
    writeFileSync(join(base.folder, 'root.ext4'), CONTENT.with(77_777, 8));
    const keeping = keepShared({ lock: aLock([], { disk: SMALL }), kubernetes: '1.35.8' }, base, edges);
    await expect(keeping).rejects.toMatchObject({ code: 'image/layer-damaged' });
    expect(readdirSync(join(top, 'bad base/layers'))).toEqual([]);
  });

  it('is another one for other programs, and the same for another kubelet', () => {
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

  it('is another one for another containerd, if that imports container images', () => {
    const key = (sha256: string, ...others: Parameters<typeof aLock>[0]) => {
      const containerd = anArtifact('containerd', 'archive', { kubernetes: '1.35.8', sha256: sha256.repeat(32) });
      return sharedKey({ lock: aLock([containerd, ...others]), kubernetes: '1.35.8' }, { key: 'base' });
    };
    const pause = anArtifact('pause', 'oci-image');
    expect(key('ab', pause)).not.toBe(key('cd', pause));
    expect(key('ab')).toBe(key('cd'));
  });
});
