import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import {
  deletingPrefix,
  namesIn,
  partialPrefix,
  removeAtomically,
  removeLeftovers,
  visibleIn,
} from './whole-folders.ts';

let parent: string;
beforeEach(() => {
  parent = mkdtempSync(join(tmpdir(), 'headstart-whole-'));
  for (const name of ['b', 'a', `${partialPrefix}x`, `${deletingPrefix}y-1`]) {
    mkdirSync(join(parent, name));
    writeFileSync(join(parent, name, 'file'), 'x');
  }
});
afterEach(() => rmSync(parent, { recursive: true }));

it('a folder goes with everything in it, and with what a killed command had begun to delete', async () => {
  await removeAtomically(join(parent, 'a'));
  expect(readdirSync(parent).sort()).toEqual([`${partialPrefix}x`, 'b']);
});

it('a folder that is gone already, or whose parent is, is success', async () => {
  await removeAtomically(join(parent, 'none'));
  await removeAtomically(join(parent, 'none', 'none'));
  expect(visibleIn(parent)).toEqual(['a', 'b']);
});

it('leftovers of one kind go, those of another stay', async () => {
  await removeLeftovers(parent, partialPrefix);
  expect(namesIn(parent)).toEqual([`${deletingPrefix}y-1`, 'a', 'b']);
  await removeLeftovers(join(parent, 'none'), partialPrefix);
});

it('names are sorted; a folder that is not there has none; a file in its place is the same', () => {
  expect(visibleIn(parent)).toEqual(['a', 'b']);
  expect(namesIn(join(parent, 'none'))).toEqual([]);
  expect(namesIn(join(parent, 'a', 'file'))).toEqual([]);
});
