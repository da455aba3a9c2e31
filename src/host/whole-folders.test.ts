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

it('removeAtomically deletes a folder and what a killed command had begun to delete', async () => {
  await removeAtomically(join(parent, 'a'));
  expect(readdirSync(parent).sort()).toEqual([`${partialPrefix}x`, 'b']);
});

it('removeAtomically succeeds when the folder or its parent does not exist', async () => {
  await removeAtomically(join(parent, 'none'));
  await removeAtomically(join(parent, 'none', 'none'));
  expect(visibleIn(parent)).toEqual(['a', 'b']);
});

it('removeLeftovers deletes folders with one prefix and keeps the others', async () => {
  await removeLeftovers(parent, partialPrefix);
  expect(namesIn(parent)).toEqual([`${deletingPrefix}y-1`, 'a', 'b']);
  await removeLeftovers(join(parent, 'none'), partialPrefix);
});

it('namesIn is sorted, and empty when the folder does not exist or is a file', () => {
  expect(visibleIn(parent)).toEqual(['a', 'b']);
  expect(namesIn(join(parent, 'none'))).toEqual([]);
  expect(namesIn(join(parent, 'a', 'file'))).toEqual([]);
});
