import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { chunksOf, NoWriter, openPipe, openPipeWithin } from './read-pipe.ts';

const folder = mkdtempSync(join(tmpdir(), 'headstart-pipe-'));
afterAll(() => rmSync(folder, { recursive: true }));

function fifo(name: string): string {
  const path = join(folder, name);
  execFileSync('mkfifo', [path]);
  return path;
}

/** A shell that writes to the pipe while this process waits for it. */
const write = (path: string, script: string) => spawn('sh', ['-c', script, 'sh', path], { stdio: 'ignore' });

const text = (chunks: Iterable<Uint8Array> | undefined) => chunks && Buffer.concat([...chunks]).toString();

describe('openPipe', () => {
  it('reads a file to its end, and an empty one', () => {
    const path = join(folder, 'file');
    writeFileSync(path, 'x'.repeat(200_000));
    expect(text(openPipe(path))).toHaveLength(200_000);
    writeFileSync(path, '');
    expect(text(openPipe(path))).toBe('');
  });

  it('waits for a slow writer, until it closes the pipe', () => {
    const path = fifo('slow');
    write(path, 'exec >"$1"; printf a; sleep 0.2; printf b');
    expect(text(openPipe(path))).toBe('ab');
  });

  it('gives up on a FIFO that no process opens for writing', () => {
    expect(() => text(openPipe(fifo('lonely'), { noWriterMs: 30 }))).toThrow(NoWriter);
  });

  it('throws the system error for a missing file', () => {
    expect(() => openPipe(join(folder, 'nowhere'))).toThrow(/ENOENT/);
    expect(() => text(chunksOf(9_999))).toThrow(/EBADF/);
  });
});

describe('openPipeWithin', () => {
  it('gives the whole content if something comes in time', () => {
    const path = fifo('prompt');
    const keep = openPipeWithin.bind(undefined, path, 3_000, { noWriterMs: 0 });
    const writer = write(path, 'exec 3<>"$1"; printf ab >&3; sleep 0.3');
    while (true) {
      const found = keep();
      if (!found) continue; // the writer has not opened it yet
      expect(found.next().value).toEqual(Uint8Array.of(97, 98));
      found.return(undefined);
      break;
    }
    writer.kill();
  });

  it('gives nothing for a pipe that is closed without data', () => {
    expect(openPipeWithin(fifo('closed'), 20)).toBeUndefined();
  });
});
