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

it.each([0, 1, (1 << 20) + 7])('checksumFile returns size and sha256 of a file of %i bytes', async (bytes) => {
  const content = Buffer.alloc(bytes, 'abc');
  const file = join(folder, 'file');
  writeFileSync(file, content);
  expect(await checksumFile(file)).toEqual({ bytes, sha256: createHash('sha256').update(content).digest('hex') });
  expect(await fileSizeBytes(file)).toBe(bytes);
});

it('checksumFile stops when aborted', async () => {
  writeFileSync(join(folder, 'file'), 'x');
  const messages = AbortSignal.abort();
  await expect(checksumFile(join(folder, 'file'), messages)).rejects.toMatchObject({ name: 'AbortError' });
});

it('syncFiles syncs files and folders, and refuses links and missing files', async () => {
  const [file, link] = [join(folder, 'file'), join(folder, 'link')];
  writeFileSync(file, 'x');
  symlinkSync(file, link);
  await syncFiles([file, folder]);
  await expect(syncFiles([link])).rejects.toMatchObject({ code: 'ELOOP' });
  await expect(syncFiles([join(folder, 'none')])).rejects.toMatchObject({ code: 'ENOENT' });
});
