import { execFileSync } from 'node:child_process';
import { closeSync, constants, type fstatSync, mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { processDeps } from './process-deps.ts';

/** Replaces the descriptors of the process: a descriptor of this test for stdin, a width for each terminal. */
const behind = vi.hoisted(() => ({
  stdin: -1,
  terminals: new Map<number, number | undefined>(),
  opened: [] as string[],
}));

vi.mock('node:fs', async (original) => {
  const real = await original<typeof import('node:fs')>();
  const ofStdin = ((fd: number) => real.fstatSync(fd === 0 ? behind.stdin : fd)) as typeof fstatSync;
  return { ...real, fstatSync: ofStdin };
});
vi.mock('node:tty', () => ({
  isatty: (fd: number) => behind.terminals.has(fd),
  WriteStream: class {
    readonly columns: number | undefined;
    readonly fd: number;
    constructor(fd: number) {
      this.fd = fd;
      this.columns = behind.terminals.get(fd);
      behind.opened.push(`open ${fd}`);
    }
    destroy() {
      behind.opened.push(`close ${this.fd}`);
    }
  },
}));

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'headstart-deps-'));
  writeFileSync(join(folder, 'full'), 'x');
  writeFileSync(join(folder, 'empty'), '');
  execFileSync('mkfifo', [join(folder, 'pipe')]);
});
afterAll(() => rmSync(folder, { recursive: true }));
afterEach(() => {
  behind.terminals.clear();
  behind.opened.length = 0;
  process.exitCode = undefined;
});

describe('isStdinGiven', () => {
  it.each([
    ['full', true],
    ['empty', false],
    ['pipe', true],
    ['.', false],
    ['/dev/null', false],
  ])('for %s is %s', (name, isGiven) => {
    const fd = openSync(name.startsWith('/') ? name : join(folder, name), constants.O_RDONLY | constants.O_NONBLOCK);
    behind.stdin = fd;
    expect(processDeps().isStdinGiven!()).toBe(isGiven);
    closeSync(fd);
  });

  it('is false for a closed descriptor', () => {
    behind.stdin = openSync(join(folder, 'full'), 'r');
    closeSync(behind.stdin);
    expect(processDeps().isStdinGiven!()).toBe(false);
  });
});

describe('columnsOf', () => {
  it('reads the width of each terminal, and leaves the terminal unchanged', () => {
    behind.terminals.set(1, 132).set(2, 60);
    const deps = processDeps();
    expect(deps.isTerminal).toEqual({ stdout: true, stderr: true });
    expect(behind.opened).toEqual([]);
    expect([deps.columnsOf!('stdout'), deps.columnsOf!('stderr')]).toEqual([132, 60]);
    expect(behind.opened).toEqual(['open 1', 'close 1', 'open 2', 'close 2']);
  });

  it('is undefined for a pipe, even if the other stream is a terminal', () => {
    behind.terminals.set(2, 60);
    const deps = processDeps();
    expect(deps.isTerminal).toEqual({ stdout: false, stderr: true });
    expect(deps.columnsOf!('stdout')).toBeUndefined();
    expect(behind.opened).toEqual([]);
  });
});

describe('signalExitCode', () => {
  it('is the exit code of the process, and undefined without a signal', () => {
    const { signalExitCode } = processDeps();
    expect(signalExitCode!()).toBeUndefined();
    process.exitCode = 130;
    expect(signalExitCode!()).toBe(130);
  });
});
