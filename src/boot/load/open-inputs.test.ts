import { execFileSync, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync, zstdCompressSync } from 'node:zlib';
import { createTar } from 'nanotar';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { inputText } from './input.ts';
import { InputLimits } from './input-limits.ts';
import { openInputs } from './open-inputs.ts';

let folder: string;
const stdin = () => new TextEncoder().encode('from a pipe');
const open = (name: string) => openInputs(join(folder, name), stdin);
const texts = async (name: string) => (await open(name)).map((group) => group.inputs.map((input) => inputText(input)));

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
  writeFileSync(join(folder, 'bad.gz'), Buffer.concat([gzipSync('zipped').subarray(0, 10), Buffer.alloc(20, 0xff)]));
  writeFileSync(join(folder, 'cut.gz'), gzipSync(randomBytes(60_000).toString('hex')).subarray(0, 40_000));
  writeFileSync(join(folder, 'cut.tar'), tar.subarray(0, 512 + 512 + 512 + 3));
  mkdirSync(join(folder, 'mixed'));
  writeFileSync(join(folder, 'mixed', 'good'), 'one');
  writeFileSync(join(folder, 'mixed', 'bad.gz'), Buffer.from('1f8b0800ffffffff', 'hex'));
  mkdirSync(join(folder, 'empty'));
  mkdirSync(join(folder, ...Array.from({ length: 14 }, () => 'deep')), { recursive: true });
  mkdirSync(join(folder, 'logs', 'deep'), { recursive: true });
  writeFileSync(join(folder, 'logs', 'b'), 'second');
  writeFileSync(join(folder, 'logs', 'a'), 'first');
  writeFileSync(join(folder, 'logs', 'deep', 'c'), 'third');
  writeFileSync(join(folder, 'logs', 'boot.tgz'), gzipSync(tar));
  symlinkSync('/etc/passwd', join(folder, 'logs', 'link'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('openInputs', () => {
  it('opens a file, and unpacks gzip, zstd and archives by content, not by name', async () => {
    expect(await texts('plain')).toEqual([['one']]);
    expect(await texts('log.gz')).toEqual([['zipped']]);
    expect(await texts('log.zst')).toEqual([['squeezed']]);
    expect(await texts('bundle')).toEqual([['inside a', 'inside b']]);
    expect((await open('bundle'))[0]!.isFolder).toBe(true);
  });

  it('opens a folder in name order, makes a separate group of an archive in it, and follows no links', async () => {
    expect(await texts('logs')).toEqual([
      ['first', 'second', 'third'],
      ['inside a', 'inside b'],
    ]);
  });

  it('reads standard input for -', async () => {
    const [group] = await openInputs('-', stdin);
    expect(inputText(group!.inputs[0]!)).toBe('from a pipe');
  });

  it('reads standard input piece by piece, and no more of it than needed', async () => {
    let taken = 0;
    function* pieces() {
      for (; taken < 1_000; taken++) yield new Uint8Array(1 << 16);
    }
    const [group] = await openInputs('-', () => pieces());
    expect(group!.inputs[0]!.head).toHaveLength(1 << 16);
    expect(taken).toBeLessThan(3);
  });

  it('unpacks no more of a large file than a source needs to recognise it', async () => {
    writeFileSync(join(folder, 'zeros.gz'), gzipSync(new Uint8Array(200 << 20)));
    const limits = new InputLimits({ unpackedBytes: 100 << 20 });
    const [group] = await openInputs(join(folder, 'zeros.gz'), stdin, { limits });
    expect(group!.inputs[0]!.head).toHaveLength(1 << 16);
    expect(() => group!.inputs[0]!.bytes()).toThrow(/unpack to more than/);
  });

  it('reads a large file of an archive again instead of holding it in memory', async () => {
    const log = 'x'.repeat(6 << 20);
    const tar = createTar([
      { name: 'large.log', data: log },
      { name: 'small', data: 'small' },
    ]);
    writeFileSync(join(folder, 'large.tgz'), gzipSync(tar));
    const [group] = await open('large.tgz');
    expect(group!.inputs[0]!.bytes()).toHaveLength(log.length);
    expect(inputText(group!.inputs[1]!)).toBe('small');
  });

  it('reads a named pipe once, however often its content is asked for', async () => {
    const path = join(folder, 'pipe');
    execFileSync('mkfifo', [path]);
    spawn('sh', ['-c', 'printf "from a fifo" >"$1"', 'sh', path], { stdio: 'ignore' });
    const [group] = await openInputs(path, stdin);
    expect(inputText(group!.inputs[0]!)).toBe('from a fifo');
  });

  it('explains in one sentence why a path cannot be read', async () => {
    await expect(open('nowhere')).rejects.toThrow(/cannot read .*nowhere: it does not exist/);
    await expect(open('bad.gz')).rejects.toThrow(/cannot unpack .*bad\.gz: the compressed file is damaged/);
  });

  it('reads a truncated compressed file or archive up to the cut, and reports it', async () => {
    const [log] = await open('cut.gz');
    expect(log!.inputs[0]!.bytes().length).toBeGreaterThan(30_000);
    expect(log!.problems).toEqual([expect.stringMatching(/cut\.gz is truncated: only the part before/)]);
    const [archive] = await open('cut.tar');
    expect(archive!.inputs.map((input) => inputText(input))).toEqual(['inside a', 'ins']);
    expect(archive!.problems).toEqual([expect.stringMatching(/cut\.tar is truncated inside sub\/b\.txt/)]);
  });

  it('skips one bad file among good ones, and reports which', async () => {
    const [group] = await open('mixed');
    expect(group!.inputs.map((input) => inputText(input))).toEqual(['one']);
    expect(group!.problems).toEqual([expect.stringMatching(/cannot unpack .*bad\.gz/)]);
  });

  it('names a folder it has no permission to read', async () => {
    const path = join(folder, 'closed');
    mkdirSync(path, { mode: 0 });
    chmodSync(folder, 0o755);
    const isRoot = process.getuid?.() === 0;
    if (isRoot) process.seteuid!(65534); // root can read everything, so try as another user
    try {
      await expect(open('closed')).rejects.toThrow(/cannot read .*closed: permission denied/);
    } finally {
      if (isRoot) process.seteuid!(0);
      chmodSync(path, 0o700);
    }
  });

  it('keeps the name of an empty folder, and reports a folder nested too deeply', async () => {
    expect(await open('empty')).toMatchObject([{ name: join(folder, 'empty'), inputs: [] }]);
    expect((await open('deep'))[0]!.problems).toEqual([expect.stringMatching(/more than 12 folders deep/)]);
  });
});
