import { describe, expect, it } from 'vitest';
import { leftToRun, type PartRecord, recordAfter } from './campaign-record.ts';

const record = (seeds: number[], isPassed = true, tree = 'abc'): PartRecord => ({ tree, isPassed, seeds });

describe('what is left of a part', () => {
  it.each([
    { what: 'nothing recorded', of: undefined, wanted: [1, 2], left: [1, 2], isDone: false },
    { what: 'another tree', of: record([1, 2], true, 'old'), wanted: [1, 2], left: [1, 2], isDone: false },
    { what: 'all passed', of: record([1, 2]), wanted: [1, 2], left: [], isDone: true },
    { what: 'more passed than asked for', of: record([1, 2, 3]), wanted: [2], left: [], isDone: true },
    { what: 'stopped on the way', of: record([1], false), wanted: [1, 2, 3], left: [2, 3], isDone: false },
    { what: 'other seeds passed', of: record([1, 2]), wanted: [2, 3], left: [3], isDone: false },
    {
      what: 'seeds passed, another test failed',
      of: record([1, 2], false),
      wanted: [1, 2],
      left: [1, 2],
      isDone: false,
    },
    { what: 'no seeds, passed', of: record([]), wanted: [], left: [], isDone: true },
    { what: 'no seeds, failed', of: record([], false), wanted: [], left: [], isDone: false },
  ])('with $what', ({ of, wanted, left, isDone }) => {
    expect(leftToRun(of, 'abc', wanted)).toEqual({ seeds: left, isDone });
  });

  it('is nothing after runs that were stopped and begun again until all passed', () => {
    const wanted = [1, 2, 3, 4];
    let now: PartRecord | undefined;
    for (let runs = 0; !leftToRun(now, 'abc', wanted).isDone; runs++) {
      expect(runs).toBeLessThan(5);
      const { seeds } = leftToRun(now, 'abc', wanted);
      now = recordAfter(now, { tree: 'abc', passed: seeds.slice(0, 1), isPassed: seeds.length === 1 });
    }
    expect(now).toEqual(record(wanted));
  });

  it('forgets what passed on another tree', () => {
    expect(recordAfter(record([1, 2], true, 'old'), { tree: 'abc', passed: [3], isPassed: true })).toEqual(record([3]));
  });
});
