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
import type { Cache } from '../cache.ts';
import type { BaseLayer } from './base-layer.ts';
import { aLock, anArtifact } from './locks.testing.ts';
import { sharedKey, takeShared } from './shared-layer.ts';
import { sumSparse } from './sparse-copy.ts';

const top = mkdtempSync(join(tmpdir(), 'headstart-shared-'));
afterAll(() => rmSync(top, { recursive: true }));

const CONTENT = Buffer.alloc(100_000, 7);
/** qemu-img, asked where there is data; and a machine that has namespaces. */
const run: RunCommand = async (argv) => {
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
  return { base, edges: { cache, run, isRoot: true, folder: join(top, name) } };
}

describe('what all images of a lock share', () => {
  it('is kept for the next of them, and given to it as it was', async () => {
    const { base, edges } = await aBase('kept');
    const lock = aLock([]);
    await takeShared({ lock, kubernetes: '1.35.8' }, base, join(top, 'one'), edges);
    rmSync(base.folder, { recursive: true }); // it is not needed again
    await takeShared({ lock, kubernetes: '1.35.7' }, base, join(top, 'two'), edges);
    expect(readFileSync(join(top, 'two')).equals(CONTENT)).toBe(true);
    expect(readdirSync(join(top, 'kept/layers'))).toEqual([sharedKey({ lock, kubernetes: '1.35.8' }, base)]);
  });

  it('is not kept for nobody', async () => {
    const { base, edges } = await aBase('single');
    await takeShared(
      { lock: aLock([], { kubernetes: ['1.35.8'] }), kubernetes: '1.35.8' },
      base,
      join(top, 'only'),
      edges,
    );
    expect(readdirSync(join(top, 'single/layers'))).toEqual(['base']);
  });

  it('is put aside, and named, when one byte of it was changed', async () => {
    const { base, edges } = await aBase('changed');
    const target = { lock: aLock([]), kubernetes: '1.35.8' };
    await takeShared(target, base, join(top, 'first'), edges);
    const folder = join(top, 'changed/layers', sharedKey(target, base));
    rmSync(join(folder, 'root.ext4'));
    writeFileSync(join(folder, 'root.ext4'), CONTENT.with(77_777, 8));
    await expect(takeShared(target, base, join(top, 'second'), edges)).rejects.toMatchObject({
      code: 'image/layer-damaged',
      message: expect.stringContaining('root.ext4'),
    });
    expect(existsSync(folder)).toBe(false);
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
});
