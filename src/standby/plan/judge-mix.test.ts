import { describe, expect, it } from 'vitest';
import { judgeMix, quantileOf } from './judge-mix.ts';
import { KEEP_NONE } from './question.ts';

const waits = (late: number) => Float64Array.from({ length: 100 }, (_, n) => (n < late ? 30 : 10));
const asked = { objective: { quantile: 0.95, withinMs: 10 }, unit: { kind: 'nodes' as const } };

describe('judgeMix', () => {
  it.each([
    [1, 'met'],
    [2, 'unsure'],
    [5, 'unsure'],
    [6, 'missed'],
  ])('of 100 arrivals with %d late for 95 %: %s', (late, objective) => {
    expect(judgeMix(waits(late), KEEP_NONE, asked).objective).toBe(objective);
  });

  it('counts a wait of exactly the time as in time', () => {
    expect(judgeMix(waits(0), KEEP_NONE, asked).inTime!.share).toBe(1);
  });
});

describe('quantileOf', () => {
  it.each([
    [0.5, 2],
    [0.75, 3],
    [0.76, 4],
    [1, 4],
  ])('%d of four values', (quantile, value) => {
    expect(quantileOf(Float64Array.of(1, 2, 3, 4), quantile)).toBe(value);
  });
});
