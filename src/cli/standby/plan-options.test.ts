import { describe, expect, it } from 'vitest';
import { objective, readyTimes, refillTimes } from './plan-options.ts';

describe('objective', () => {
  it.each([
    ['95% within 10s', 0.95, 10_000],
    ['99.9 % Ready within 1min 30s', 0.999, 90_000],
  ])('%s', (text, quantile, withinMs) => {
    expect(objective(text)).toEqual({ quantile, withinMs });
  });

  it.each(['', '95% in 10s', '100% within 10s', '0% within 10s', '95% within', '95% within 0s', '95% within soon'])(
    'refuses %j',
    (text) => {
      expect(() => objective(text)).toThrow('is not of the form "95% within 10s"');
    },
  );
});

describe('readyTimes', () => {
  it('adds up several values of a tier, in one option or in several', () => {
    expect(readyTimes('frozen=2.5s, cold=25s', readyTimes('frozen=2s'))).toEqual({
      frozen: [2000, 2500],
      cold: [25_000],
    });
  });

  it.each(['frozen', 'frozen=', 'frozen=x', 'frozen=0s', 'warm=2s', ''])('refuses %j', (text) => {
    expect(() => readyTimes(text)).toThrow('is not of the form TIER=TIME');
  });
});

describe('refillTimes', () => {
  it('refuses cold nodes, which are not refilled', () => {
    expect(() => refillTimes('cold=25s')).toThrow('paused, frozen, stopped, as in');
  });
});
