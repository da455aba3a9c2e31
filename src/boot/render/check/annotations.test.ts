import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { annotations } from './annotations.ts';
import { CHECK, row } from './testing.ts';

describe('annotations', () => {
  it('is an error for each row that fails, a warning for other unknown rows, and a notice', () => {
    expect(annotations(CHECK, { file: 'ci/budget.yaml' }).split('\n')).toEqual([
      '::error file=ci/budget.yaml,title=boot check%3A total exceeded::total took 9s, limit 5s of the budget: until node-ready',
      '::error title=boot check%3A milestones.node-ready unknown::milestones.node-ready is unknown, limit 12s (8s to 10s in 2 baseline boots): not in this boot',
      '::warning title=boot check%3A units.new.service unknown::units.new.service took 3s; cannot be judged: no baseline boot has a comparable value',
      '::notice title=boot check::Not within the budget and the baseline: 1 ok, 1 exceeded, 2 unknown (1 of them do not fail the check).%0ARule: exceeded = slower.%0Aonly 2 baseline boots',
      '',
    ]);
  });

  it('names the rows beyond the ten that GitHub shows', () => {
    const checks = Array.from({ length: 13 }, (_, i) => row(`units.u${i}`, { verdict: 'exceeded', isFailure: true }));
    const errors = annotations({ ...CHECK, checks }).match(/^::error .*$/gm)!;
    expect(errors).toHaveLength(10);
    expect(errors[9]).toContain('4 more: units.u9, units.u10, units.u11, units.u12');
  });

  it('prints one command per line, and a name cannot start another command or property', () => {
    const text = fc.string({ unit: fc.constantFrom('\n', '\r', ':', ',', '%', '0A', '::error::', 'x') });
    fc.assert(
      fc.property(text, (name) => {
        const lines = annotations({ ...CHECK, checks: [row(name, { verdict: 'exceeded', isFailure: true })] }).split(
          '\n',
        );
        expect(lines).toHaveLength(3);
        expect(lines[0]).toMatch(/^::error title=boot check%3A [^:,\r]* exceeded::/);
      }),
    );
  });
});
