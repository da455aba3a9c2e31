import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { checksumFile, fileSizeBytes, syncFiles } from './file-sum.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'headstart-sum-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

it.each([0, 1, (1 << 20) + 7])('a file of %i bytes has the sum of its bytes', async (bytes) => {
  const content = Buffer.alloc(bytes, 'abc');
  const file = join(folder, 'file');
  writeFileSync(file, content);
  expect(await checksumFile(file)).toEqual({ bytes, sha256: createHash('sha256').update(content).digest('hex') });
  expect(await fileSizeBytes(file)).toBe(bytes);
});

it('summing stops when it is told to', async () => {
  writeFileSync(join(folder, 'file'), 'x');
  const told = AbortSignal.abort();
  await expect(checksumFile(join(folder, 'file'), told)).rejects.toMatchObject({ name: 'AbortError' });
});

it('files and folders are synced, links and missing files are refused', async () => {
  const [file, link] = [join(folder, 'file'), join(folder, 'link')];
  writeFileSync(file, 'x');
  symlinkSync(file, link);
  await syncFiles([file, folder]);
  await expect(syncFiles([link])).rejects.toMatchObject({ code: 'ELOOP' });
  await expect(syncFiles([join(folder, 'none')])).rejects.toMatchObject({ code: 'ENOENT' });
});
