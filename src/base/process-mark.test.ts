import { describe, expect, it } from 'vitest';
import { markOf, readMark, systemProcesses } from './process-mark.ts';

const own = markOf(process.pid);

describe.runIf(own !== undefined)('a process', () => {
  it('that runs is not gone, and one that never was is', () => {
    expect(systemProcesses.isGone(own!)).toBe(false);
    expect(systemProcesses.isGone({ ...own!, pid: 2 ** 22 + 1 })).toBe(true);
  });

  it('whose number was given to another is gone', () => {
    expect(systemProcesses.isGone({ ...own!, startTicks: '1' })).toBe(true);
  });

  it('of another boot or container may be there: this machine cannot tell', () => {
    expect(systemProcesses.isGone({ ...own!, pid: 2 ** 22 + 1, bootId: 'another' })).toBe(false);
    expect(systemProcesses.isGone({ ...own!, pid: 2 ** 22 + 1, pidNamespace: 'pid:[1]' })).toBe(false);
  });

  it('that never was has no mark', () => {
    expect(markOf(2 ** 22 + 1)).toBeUndefined();
  });
});

describe('a mark that was read', () => {
  const mark = { pid: 5, startTicks: '1', bootId: 'b', pidNamespace: 'n' };

  it('is taken with its own fields only', () => {
    expect(readMark({ ...mark, more: 1 })).toEqual(mark);
  });

  it.each([null, 'x', {}, { ...mark, pid: 0 }, { ...mark, pid: 1.5 }, { ...mark, pid: '5' }, { ...mark, bootId: 1 }])(
    '%j is none',
    (value) => {
      expect(readMark(value)).toBeUndefined();
    },
  );
});
