import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdtempSync, openSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { pidsWithOpenFile } from './open-files.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'headstart-open-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

it('pidsWithOpenFile finds the process that has a file open, by any path to the file, until it exits', async () => {
  const [file, other, link] = ['disk', 'other', 'link'].map((name) => join(folder, name));
  writeFileSync(file!, '');
  writeFileSync(other!, '');
  symlinkSync(file!, link!);
  const handle = openSync(file!, 'r');
  const holder = spawn('cat', { stdio: ['pipe', handle, 'ignore'] });
  await once(holder, 'spawn');
  closeSync(handle);
  expect(pidsWithOpenFile(file!)).toEqual([holder.pid]);
  expect(pidsWithOpenFile(link!)).toEqual([holder.pid]);
  expect(pidsWithOpenFile(other!)).toEqual([]);
  holder.stdin!.end();
  await once(holder, 'close');
  expect(pidsWithOpenFile(file!)).toEqual([]);
});

it('pidsWithOpenFile is empty when the file does not exist', () => {
  expect(pidsWithOpenFile(join(folder, 'none'))).toEqual([]);
});
