import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { replaceFolder } from './replace-folder.ts';

let top: string;
let place: string;
beforeEach(() => {
  top = mkdtempSync(join(tmpdir(), 'headstart-replace-'));
  place = join(top, 'image');
});
afterEach(() => rmSync(top, { recursive: true, force: true }));

const make = (text: string) => async (work: string) => {
  const from = join(work, 'files');
  mkdirSync(from);
  writeFileSync(join(from, 'disk'), text);
  return { from, result: text };
};
const remove = async (path: string) => rmSync(path, { recursive: true, force: true });
const held = () => readFileSync(join(place, 'disk'), 'utf8');

describe('replaceFolder', () => {
  it('creates the complete folder and leaves nothing else', async () => {
    expect(await replaceFolder(place, remove, make('one'))).toBe('one');
    expect(await replaceFolder(place, remove, make('two'))).toBe('two');
    expect(held()).toBe('two');
    expect(readdirSync(top)).toEqual(['image']);
  });

  it('keeps the old folder if making the new one fails', async () => {
    await replaceFolder(place, remove, make('one'));
    const failing = replaceFolder(place, remove, async (work) => {
      await make('half')(work);
      throw new Error('full');
    });
    await expect(failing).rejects.toThrow('full');
    expect(held()).toBe('one');
    expect(readdirSync(top)).toEqual(['image']);
  });

  it('cleans up after a call that was killed at any point', async () => {
    await replaceFolder(place, remove, make('one'));
    mkdirSync(join(top, '.partial-image-abc'));
    mkdirSync(join(top, '.partial-image2-abc'));
    renameSync(place, join(top, '.replaced-image')); // between the two renames
    await expect(
      replaceFolder(place, remove, async () => {
        expect(held()).toBe('one');
        throw new Error('enough');
      }),
    ).rejects.toThrow('enough');
    expect(held()).toBe('one');
    expect(readdirSync(top).sort()).toEqual(['.partial-image2-abc', 'image']);

    mkdirSync(join(top, '.replaced-image')); // between the second and the removal
    await replaceFolder(place, remove, make('two'));
    expect(existsSync(join(top, '.replaced-image'))).toBe(false);
    expect(held()).toBe('two');
  });
});
