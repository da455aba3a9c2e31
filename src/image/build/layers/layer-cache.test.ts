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
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { RunCommand } from '../../../base/command.ts';
import { partialPrefix } from '../../../host/whole-folders.ts';
import type { Cache } from '../../fetch/cache.ts';
import { SOME_TOOLS } from '../locks.testing.ts';
import {
  cacheLayer,
  copyLayer,
  isLayerCached,
  LAYER_ROOT,
  type LayerKind,
  moveLayerAside,
  readLayerRecord,
} from './layer-cache.ts';

interface Note {
  key: string;
  rootSum: string;
  note: string;
}
const KIND: LayerKind<Note> = {
  record: 'note.json',
  schema: z.object({ key: z.string(), rootSum: z.string(), note: z.string() }),
};
const CONTENT = Buffer.alloc(100_000, 7);

let cacheFolder: string;
beforeEach(() => {
  cacheFolder = mkdtempSync(join(tmpdir(), 'headstart-keep-'));
});
afterEach(() => rmSync(cacheFolder, { recursive: true }));

/** Fakes qemu-img, which reports data ranges, and rm. */
const run: RunCommand = async (argv) => {
  if (argv.includes('rm')) rmSync(argv.at(-1)!, { recursive: true, force: true });
  const isMap = argv.includes('qemu-img');
  const map = () => JSON.stringify([{ start: 0, length: statSync(argv.at(-1)!).size, data: true }]);
  return { outcome: 'exited', code: 0, stdout: Buffer.from(isMap ? map() : ''), stderr: '' };
};
const deps = () => ({
  cache: { folder: cacheFolder } as Partial<Cache> as Cache,
  ...{ run, isRoot: true, tools: SOME_TOOLS },
});
const keep = (key: string) =>
  cacheLayer(KIND, key, deps(), async (layer) => {
    writeFileSync(join(layer, LAYER_ROOT), CONTENT);
    return { note: `of ${key}` };
  });
const layers = () => readdirSync(join(cacheFolder, 'layers'));
const folderOf = (key: string) => join(cacheFolder, 'layers', key);

describe('a cached layer', () => {
  it('is stored read-only under its key, and copied on request', async () => {
    await keep('k1');
    expect(layers()).toEqual(['k1']);
    expect(isLayerCached(KIND, 'k1', cacheFolder)).toBe(true);
    expect(statSync(join(folderOf('k1'), LAYER_ROOT)).mode & 0o777).toBe(0o400);
    const file = join(cacheFolder, 'disk');
    expect(await copyLayer(KIND, 'k1', { file, startBytes: 512 }, deps())).toMatchObject({ note: 'of k1' });
    expect(readFileSync(file).subarray(512).equals(CONTENT)).toBe(true);
  });

  it('does not exist before it was made', async () => {
    expect(isLayerCached(KIND, 'k1', cacheFolder)).toBe(false);
    expect(await readLayerRecord(KIND, 'k1', cacheFolder)).toBeUndefined();
  });

  it('leaves nothing if making it fails, and leftovers of a killed build are removed', async () => {
    mkdirSync(join(cacheFolder, 'layers'));
    const bad = cacheLayer(KIND, 'k1', deps(), () => Promise.reject(new Error('no')));
    await expect(bad).rejects.toThrow('no');
    expect(layers()).toEqual([]);
    mkdirSync(join(cacheFolder, 'layers', `${partialPrefix}killed`));
    await keep('k3');
    expect(layers()).toEqual(['k3']);
  });

  it('reports a full disk and the option for another folder', async () => {
    const full = cacheLayer(KIND, 'k1', deps(), () =>
      Promise.reject(Object.assign(new Error('write'), { code: 'ENOSPC' })),
    );
    await expect(full).rejects.toMatchObject({ code: 'image/no-space', next: expect.stringContaining('--cache') });
  });

  it.each([
    ['its file system', LAYER_ROOT, () => CONTENT.with(5, 8)],
    [
      'its record, which belongs to another layer',
      KIND.record,
      () => JSON.stringify({ key: 'k2', rootSum: '', note: '' }),
    ],
  ])('is moved aside if it has a change in %s', async (_, name, content) => {
    await keep('k1');
    rmSync(join(folderOf('k1'), name));
    writeFileSync(join(folderOf('k1'), name), content());
    const copying = copyLayer(KIND, 'k1', { file: join(cacheFolder, 'disk'), startBytes: 0 }, deps());
    await expect(copying).rejects.toMatchObject({
      code: 'image/layer-damaged',
      message: expect.stringContaining(name),
      kept: expect.stringContaining(join(cacheFolder, 'damaged', 'k1')),
    });
    expect(layers()).toEqual([]);
    expect(existsSync(join(cacheFolder, 'damaged', 'k1'))).toBe(true);
  });

  it('is not moved aside if its record is unreadable: the error says what to remove', async () => {
    await keep('k1');
    rmSync(join(folderOf('k1'), KIND.record));
    writeFileSync(join(folderOf('k1'), KIND.record), 'not JSON');
    await expect(readLayerRecord(KIND, 'k1', cacheFolder)).rejects.toMatchObject({
      code: 'image/layer-damaged',
      next: expect.stringContaining(folderOf('k1')),
    });
  });

  it('replaces the layer that was moved aside before', async () => {
    for (const note of ['first', 'second']) {
      mkdirSync(folderOf('k1'), { recursive: true });
      writeFileSync(join(folderOf('k1'), 'which'), note);
      await moveLayerAside(folderOf('k1'), 'which');
    }
    expect(readFileSync(join(cacheFolder, 'damaged', 'k1', 'which'), 'utf8')).toBe('second');
    expect(await moveLayerAside(folderOf('k1'), 'which')).toMatchObject({ code: 'image/layer-damaged' });
  });
});
