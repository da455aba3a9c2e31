import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync, zstdCompressSync } from 'node:zlib';
import { createTar } from 'nanotar';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { textOf } from './input.ts';
import { openInputs } from './open-inputs.ts';

let folder: string;
const stdin = () => new TextEncoder().encode('from a pipe');
const open = (name: string) => openInputs(join(folder, name), stdin);
const texts = async (name: string) => (await open(name)).map((group) => group.inputs.map((input) => textOf(input)));

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'headstart-inputs-'));
  const tar = createTar([
    { name: './a.txt', data: 'inside a' },
    { name: 'sub/b.txt', data: 'inside b' },
  ]);
  writeFileSync(join(folder, 'plain'), 'one');
  writeFileSync(join(folder, 'log.gz'), gzipSync('zipped'));
  writeFileSync(join(folder, 'log.zst'), zstdCompressSync('squeezed'));
  writeFileSync(join(folder, 'bundle'), gzipSync(tar));
  writeFileSync(join(folder, 'cut.gz'), gzipSync('zipped'.repeat(1000)).subarray(0, 20));
  mkdirSync(join(folder, 'logs', 'deep'), { recursive: true });
  writeFileSync(join(folder, 'logs', 'b'), 'second');
  writeFileSync(join(folder, 'logs', 'a'), 'first');
  writeFileSync(join(folder, 'logs', 'deep', 'c'), 'third');
  writeFileSync(join(folder, 'logs', 'boot.tgz'), gzipSync(tar));
  symlinkSync('/etc/passwd', join(folder, 'logs', 'link'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('openInputs', () => {
  it('opens a file, and unpacks gzip, zstd and archives by content, whatever they are called', async () => {
    expect(await texts('plain')).toEqual([['one']]);
    expect(await texts('log.gz')).toEqual([['zipped']]);
    expect(await texts('log.zst')).toEqual([['squeezed']]);
    expect(await texts('bundle')).toEqual([['inside a', 'inside b']]);
    expect((await open('bundle'))[0]!.isFolder).toBe(true);
  });

  it('opens a folder in name order, an archive in it as a group of its own, and follows no links', async () => {
    expect(await texts('logs')).toEqual([
      ['first', 'second', 'third'],
      ['inside a', 'inside b'],
    ]);
  });

  it('reads standard input for -', async () => {
    const [group] = await openInputs('-', stdin);
    expect(textOf(group!.inputs[0]!)).toBe('from a pipe');
  });

  it('says what is wrong with a path in one sentence', async () => {
    await expect(open('nowhere')).rejects.toThrow(/cannot read .*nowhere: it does not exist/);
    await expect(open('cut.gz')).rejects.toThrow(/cannot unpack .*cut\.gz: the compressed file is damaged/);
  });
});
