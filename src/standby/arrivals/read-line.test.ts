import { describe, expect, it } from 'vitest';
import { readLine } from './read-line.ts';

const atMs = Date.parse('2026-11-16T02:00:00Z');

describe('readLine', () => {
  it.each([
    '2026-11-16T02:00:00Z',
    ' 2026-11-16T03:00:00+01:00 ',
    '2026-11-16 02:00:00',
    '2026-11-16T02:00:00.000000Z',
    '{"time": "2026-11-16T02:00:00Z"}',
  ])('reads one node from %s', (line) => {
    expect(readLine(line, false)).toEqual({ atMs, count: 1 });
  });

  it.each(['2026-11-16T02:00:00Z,3', '"2026-11-16T02:00:00Z";3', '{"time":"2026-11-16T02:00:00Z","count":3}'])(
    'reads three nodes from %s',
    (line) => {
      expect(readLine(line, false)).toEqual({ atMs, count: 3 });
    },
  );

  it.each(['', '# comment'])('skips %j', (line) => {
    expect(readLine(line, false)).toBeUndefined();
  });

  it('skips a header on the first line only', () => {
    expect(readLine('time,count', true)).toBeUndefined();
    expect(readLine('time,count', false)).toHaveProperty('problem');
  });

  it.each([
    ['yesterday 5', /expected a time/],
    ['2026-13-16T02:00:00Z', /expected a time/],
    ['2026-11-16T02:00:00Z,0', /whole number/],
    ['2026-11-16T02:00:00Z,1.5', /whole number/],
    ['2026-11-16T02:00:00Z,1,2', /got 3 columns/],
    ['{"time":', /not valid JSON/],
    ['{"time": 5}', /expected a time/],
  ])('reports %s', (line, problem) => {
    expect(readLine(line, false)).toEqual({ problem: expect.stringMatching(problem) });
  });
});
