import { describe, expect, it } from 'vitest';
import { managerTimes, span, unit } from '../testing.ts';
import { type Evidence, evidence } from './evidence.ts';
import { areOfTwoBoots } from './two-boots.ts';

const times = (userspaceUs: number, finishUs: number, kind: Evidence['kind'] = 'analyze-time') =>
  evidence({ kind, input: 't', clock: 'monotonic', manager: managerTimes({ userspaceUs, finishUs }) });
const kernel = (endS: number, kind: Evidence['kind'] = 'dmesg') =>
  evidence({ kind, input: 'd', clock: 'monotonic', spans: [span('kernel:until-init', 0, endS)] });
const listing = (kind: Evidence['kind'], ...tookS: number[]) =>
  evidence({ kind, input: 'l', clock: 'userspace', units: tookS.map((s, i) => unit(`u${i}.service`, 1, s)) });

describe('two pieces of evidence', () => {
  it.each<[string, Evidence, Evidence]>([
    ['userspace took another time', times(10e6, 104e6), times(6e6, 51e6, 'journal-text')],
    ['two managers differ in the least', times(10e6, 20e6), times(10e6, 20.4e6)],
    ['the kernel took another time', kernel(4.26), kernel(2.73, 'journal-text')],
    [
      'most units of the same listing took another time',
      listing('analyze-blame', 3, 2, 1),
      listing('analyze-blame', 4, 5, 1),
    ],
  ])('are of two boots when %s', (_, a, b) => {
    expect(areOfTwoBoots(a, b)).toBe(true);
    expect(areOfTwoBoots(b, a)).toBe(true);
  });

  it.each<[string, Evidence, Evidence]>([
    [
      'one cuts off what is below a millisecond',
      times(10_494_711, 104_768_855, 'systemctl-manager'),
      times(10_494_000, 104_768_000),
    ],
    ['one is a container that counts from its own start', times(9_000e6, 9_015e6), times(0, 15e6)],
    ['one was taken before startup was finished', times(10e6, 0), times(10e6, 104e6)],
    ['a unit was restarted between them', listing('analyze-blame', 3, 2, 1), listing('analyze-blame', 3, 2, 7)],
    ['they have nothing in common', kernel(4.26), listing('analyze-blame', 3)],
    ['they measure units in different ways', listing('analyze-blame', 3, 2), listing('journal-text', 4, 3)],
  ])('may be of one boot although %s', (_, a, b) => {
    expect(areOfTwoBoots(a, b)).toBe(false);
    expect(areOfTwoBoots(b, a)).toBe(false);
  });
});
