import { readSync, writeSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { UserError } from '../base/errors.ts';

vi.mock('node:fs', async (original) => ({
  ...(await original<typeof import('node:fs')>()),
  readSync: vi.fn(),
  writeSync: vi.fn(),
}));

/** The result of each write in turn: a number of bytes or an error. Later writes accept everything. */
type WriteResult = number | 'EAGAIN' | 'EPIPE' | 'ENOSPC' | 'EIO';
let written: Record<number, string>;
let calls: number;

function writesReturn(...answers: WriteResult[]): void {
  vi.mocked(writeSync).mockImplementation((fd, content) => {
    calls++;
    const answer = answers.shift();
    if (typeof answer === 'string') throw Object.assign(new Error(`${answer}: it failed`), { code: answer });
    const taken = Buffer.from(content as unknown as Uint8Array).subarray(0, answer);
    written[fd] = `${written[fd] ?? ''}${taken.toString('latin1')}`;
    return taken.length;
  });
}

function thrownBy(act: () => unknown): unknown {
  try {
    act();
  } catch (error) {
    return error;
  }
  throw new Error('nothing was thrown');
}

/** Like a new process: no stream is known to be closed. */
let streams: typeof import('./streams.ts');
beforeEach(async () => {
  vi.resetModules();
  streams = await import('./streams.ts');
  written = {};
  calls = 0;
});
afterEach(() => void vi.resetAllMocks());

describe('writeAll', () => {
  it('continues after a partial write, even inside a character', () => {
    writesReturn(1, 2, 1);
    streams.writeAll(1, 'aé日b');
    expect(Buffer.from(written[1]!, 'latin1').toString()).toBe('aé日b');
    expect(calls).toBe(4);
  });

  it('writes bytes unchanged, and nothing for an empty text', () => {
    writesReturn();
    streams.writeAll(1, Uint8Array.of(0x61, 0xff, 0x0a));
    streams.writeAll(1, '');
    expect([written, calls]).toEqual([{ 1: 'a\xff\n' }, 1]);
  });

  it('retries for a slow reader, and loses nothing', () => {
    writesReturn('EAGAIN', 3, 'EAGAIN', 'EAGAIN');
    streams.writeAll(1, 'abcdef');
    expect([written[1], calls]).toEqual(['abcdef', 5]);
  });

  it('drops the rest when the reader has exited, never retries that stream, and still writes to the other', () => {
    writesReturn(2, 'EPIPE');
    streams.writeAll(1, 'abcdef');
    streams.writeAll(1, 'more');
    streams.writeAll(2, 'error: x\n');
    expect([written, calls]).toEqual([{ 1: 'ab', 2: 'error: x\n' }, 3]);
  });

  it('reports that stdout cannot be written and that the output is incomplete', () => {
    writesReturn(2, 'ENOSPC');
    expect(thrownBy(() => streams.writeAll(1, 'abcdef'))).toMatchObject({
      code: 'cli/stdout-unwritable',
      exitCode: 1,
      message: 'cannot write to standard output: ENOSPC: it failed',
      kept: expect.stringContaining('incomplete'),
    });
  });

  it.each(['EPIPE', 'ENOSPC', 'EIO'] as const)('ignores a stderr that fails with %s', (code) => {
    writesReturn(code);
    streams.writeAll(2, 'warning\n');
    streams.writeAll(2, 'another\n');
    expect([written, calls]).toEqual([{}, 1]);
  });
});

describe('readStdin', () => {
  it('reads until the end', () => {
    const chunks = ['abc', 'de', ''];
    vi.mocked(readSync).mockImplementation((fd, into) => {
      expect(fd).toBe(0);
      return Buffer.from(chunks.shift()!).copy(into as Uint8Array);
    });
    expect(Buffer.from(streams.readStdin()).toString()).toBe('abcde');
  });

  it('suggests -i if standard input cannot be read', () => {
    vi.mocked(readSync).mockImplementation(() => {
      throw Object.assign(new Error('EISDIR: it is a directory'), { code: 'EISDIR' });
    });
    const error = thrownBy(streams.readStdin);
    expect((error as Error).name).toBe(UserError.name);
    expect(error).toMatchObject({
      code: 'boot/input-unreadable',
      message: 'cannot read standard input: EISDIR: it is a directory',
      next: expect.stringContaining('-i'),
    });
  });
});
