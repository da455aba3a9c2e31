import { describe, expect, it } from 'vitest';
import { managerTimes, span, unit } from '../testing.ts';
import { type Evidence, evidence } from './evidence.ts';
import { areOfTwoBoots, canContradict } from './two-boots.ts';

const times = (userspaceUs: number, finishUs: number, kind: Evidence['kind'] = 'analyze-time') =>
  evidence({ kind, input: 't', clock: 'monotonic', manager: managerTimes({ userspaceUs, finishUs }) });
const kernel = (endS: number, kind: Evidence['kind'] = 'dmesg') =>
  evidence({ kind, input: 'd', clock: 'monotonic', spans: [span('kernel:until-init', 0, endS)] });
const listing = (kind: Evidence['kind'], ...tookS: number[]) =>
  evidence({ kind, input: 'l', clock: 'userspace', units: tookS.map((s, i) => unit(`u${i}.service`, 1, s)) });

describe('areOfTwoBoots', () => {
  it.each<[string, Evidence, Evidence]>([
    ['userspace durations differ', times(10e6, 104e6), times(6e6, 51e6, 'journal-text')],
    ['manager durations differ slightly', times(10e6, 20e6), times(10e6, 20.4e6)],
    ['kernel durations differ', kernel(4.26), kernel(2.73, 'journal-text')],
    ['the durations of most units differ', listing('analyze-blame', 3, 2, 1), listing('analyze-blame', 4, 5, 1)],
  ])('is true if %s', (_, a, b) => {
    expect(areOfTwoBoots(a, b)).toBe(true);
    expect(areOfTwoBoots(b, a)).toBe(true);
    expect([canContradict(a), canContradict(b)]).toEqual([true, true]);
  });

  it.each<[string, Evidence, Evidence]>([
    [
      'one source truncates to milliseconds',
      times(10_494_711, 104_768_855, 'systemctl-manager'),
      times(10_494_000, 104_768_000),
    ],
    ['one is a container that counts times from its own start', times(9_000e6, 9_015e6), times(0, 15e6)],
    ['one was recorded before startup finished', times(10e6, 0), times(10e6, 104e6)],
    ['a unit was restarted between them', listing('analyze-blame', 3, 2, 1), listing('analyze-blame', 3, 2, 7)],
    ['they have no comparable durations', kernel(4.26), listing('analyze-blame', 3)],
    ['they measure units differently', listing('analyze-blame', 3, 2), listing('journal-text', 4, 3)],
  ])('is false if %s', (_, a, b) => {
    expect(areOfTwoBoots(a, b)).toBe(false);
    expect(areOfTwoBoots(b, a)).toBe(false);
  });
});
