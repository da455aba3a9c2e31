import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { markOf, type ProcessMark, readMark, systemProcesses } from './process-mark.ts';

const mark: ProcessMark = { pid: 7, startTicks: '1', bootId: 'b', pidNamespace: 'pid:[1]' };

describe('readMark', () => {
  it('gives back what was written, without anything else', () => {
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
  ])('takes %j for no mark', (value) => {
    expect(readMark(value)).toBeUndefined();
  });
});

describe('a process', () => {
  const own = systemProcesses.own()!;

  it('that runs is not gone', () => {
    expect(own.pid).toBe(process.pid);
    expect(systemProcesses.isGone(own)).toBe(false);
  });

  it('whose number another process has now is gone', () => {
    expect(systemProcesses.isGone({ ...own, startTicks: '0' })).toBe(true);
  });

  it('of another boot or of another container may be there: nothing here can tell', () => {
    expect(systemProcesses.isGone({ ...own, startTicks: '0', bootId: 'another' })).toBe(false);
    expect(systemProcesses.isGone({ ...own, startTicks: '0', pidNamespace: 'another' })).toBe(false);
  });

  it('that has ended is gone, and has no mark any more', async () => {
    const child = spawn('cat', { stdio: ['pipe', 'ignore', 'ignore'] });
    const childMark = markOf(child.pid!)!;
    expect(systemProcesses.isGone(childMark)).toBe(false);
    child.stdin.end();
    await once(child, 'close');
    expect(systemProcesses.isGone(childMark)).toBe(true);
    expect(markOf(child.pid!)).toBeUndefined();
  });
});
