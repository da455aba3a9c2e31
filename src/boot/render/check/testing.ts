// boot/render/check/testing.ts: a boot check with every verdict, for the tests of its formats.
import type { BootCheck, CheckRow } from '../../questions/check/check-boot.ts';

export function row(path: string, more: Partial<CheckRow> = {}): CheckRow {
  return { path, by: 'budget', limitUs: 5e6, actualUs: 4e6, verdict: 'ok', isFailure: false, ...more };
}

export const CHECK: BootCheck = {
  isWithin: false,
  checks: [
    row('total', { actualUs: 9e6, verdict: 'exceeded', isFailure: true, detail: 'until node-ready' }),
    row('units.a.service'),
    {
      path: 'milestones.node-ready',
      by: 'baseline',
      limitUs: 12e6,
      verdict: 'unknown',
      detail: 'not in this boot',
      baseline: { boots: 2, fastestUs: 8e6, slowestUs: 10e6 },
      isFailure: true,
    },
    {
      path: 'units.new.service',
      by: 'baseline',
      actualUs: 3e6,
      verdict: 'unknown',
      detail: 'no baseline boot has a comparable value',
      isFailure: false,
    },
  ],
  baseline: { boots: 2, margin: 0.1, thresholdUs: 500_000, rule: 'Rule: exceeded = slower.' },
  notes: ['only 2 baseline boots'],
};
