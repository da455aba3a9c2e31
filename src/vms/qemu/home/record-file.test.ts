import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { z } from 'zod';
import * as files from '../../../base/files.ts';
import { readHomeRecord, writeHomeRecord } from './record-file.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'headstart-record-'));
});
afterEach(() => {
  vi.restoreAllMocks();
  rmSync(folder, { recursive: true });
});

const schema = z.object({ a: z.string() });

it('a record is read as it was written, and undefined when it does not exist', () => {
  const path = join(folder, 'pool.json');
  expect(readHomeRecord(path, schema)).toBeUndefined();
  writeHomeRecord(path, { a: 'b' });
  expect(readHomeRecord(path, schema)).toEqual({ a: 'b' });
});

it('a record that was edited fails with the code of pools', () => {
  const path = join(folder, 'pool.json');
  writeFileSync(path, '{"a": 1}');
  expect(() => readHomeRecord(path, schema)).toThrow(expect.objectContaining({ code: 'vms/bad-record', exitCode: 1 }));
});

it.each(['ENOSPC', 'EDQUOT'])('a full disk (%s) is reported', (code) => {
  fails(code);
  expect(() => writeHomeRecord(join(folder, 'pool.json'), {})).toThrow(
    expect.objectContaining({ code: 'vms/no-space', message: expect.stringContaining('the disk is full') }),
  );
});

it('other write errors pass through unchanged', () => {
  fails('EIO');
  expect(() => writeHomeRecord(join(folder, 'pool.json'), {})).toThrow(expect.objectContaining({ code: 'EIO' }));
});

function fails(code: string): void {
  vi.spyOn(files, 'writeFileAtomic').mockImplementation(() => {
    throw Object.assign(new Error(code), { code });
  });
}
