import { expect, it } from 'vitest';
import { describeRow, summarise } from './check-text.ts';
import { CHECK } from './testing.ts';

it('describes each row in one sentence', () => {
  expect(CHECK.checks.map(describeRow)).toEqual([
    'total took 9s, limit 5s of the budget: until node-ready',
    'units.a.service took 4s, limit 5s of the budget',
    'milestones.node-ready is unknown, limit 12s (8s to 10s in 2 baseline boots): not in this boot',
    'units.new.service took 3s; cannot be judged: no baseline boot has a comparable value',
  ]);
});

it('counts verdicts, and the unknown ones that do not fail the check', () => {
  expect(summarise(CHECK)).toBe(
    'Not within the budget and the baseline: 1 ok, 1 exceeded, 2 unknown (1 of them do not fail the check).',
  );
});
