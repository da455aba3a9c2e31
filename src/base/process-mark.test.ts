import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { markOf, type ProcessMark, readMark, systemProcesses } from './process-mark.ts';

const mark: ProcessMark = { pid: 7, startTicks: '1', bootId: 'b', pidNamespace: 'pid:[1]' };

describe('readMark', () => {
  it('reads the fields of a mark and ignores others', () => {
    expect(readMark(JSON.parse(JSON.stringify({ ...mark, more: 1 })))).toEqual(mark);
  });

  it.each([
    null,
    'x',
    7,
    [],
    {},
    { ...mark, pid: 0 },
    { ...mark, pid: 1.5 },
    { ...mark, pid: '7' },
    { ...mark, bootId: 1 },
  ])('does not accept %j', (value) => {
    expect(readMark(value)).toBeUndefined();
  });
});

describe('isGone', () => {
  const own = systemProcesses.own()!;

  it('is false for a running process', () => {
    expect(own.pid).toBe(process.pid);
    expect(systemProcesses.isGone(own)).toBe(false);
  });

  it('is true if another process has the pid now', () => {
    expect(systemProcesses.isGone({ ...own, startTicks: '0' })).toBe(true);
  });

  it('is false for another boot or another container, because the process may exist there', () => {
    expect(systemProcesses.isGone({ ...own, startTicks: '0', bootId: 'another' })).toBe(false);
    expect(systemProcesses.isGone({ ...own, startTicks: '0', pidNamespace: 'another' })).toBe(false);
  });

  it('is true for an ended process, which has no mark', async () => {
    const child = spawn('cat', { stdio: ['pipe', 'ignore', 'ignore'] });
    const childMark = markOf(child.pid!)!;
    expect(systemProcesses.isGone(childMark)).toBe(false);
    child.stdin.end();
    await once(child, 'close');
    expect(systemProcesses.isGone(childMark)).toBe(true);
    expect(markOf(child.pid!)).toBeUndefined();
  });
});
