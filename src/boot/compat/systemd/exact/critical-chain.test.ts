import { expect, test } from 'vitest';
import { boot, unit } from '../testing.ts';
import { behaviourOf } from '../versions.ts';
import { compatCriticalChain } from './critical-chain.ts';
import { analyze, NEWEST, V252 } from './testing.ts';

test('edge case 28: prints a unit before userspace with 584542 years before v256, later without a time', () => {
  const record = boot([unit('goal.target', 9, 9, { after: ['early.service'] }), unit('early.service', 1, 1.5)]);
  expect(analyze(record, ['critical-chain', 'goal.target']).stdout).toMatch(/└─early\.service @584542y .* \+500ms\n$/);
  expect(analyze(record, ['critical-chain', 'goal.target'], NEWEST).stdout).toMatch(/└─early\.service\n$/);
});

test('edge case 29: prints the chain of a root without data, but not the root', () => {
  const record = boot([unit('goal.target', 0, 0, { after: ['base.target'] }), unit('base.target', 9, 9)]);
  expect(analyze(record, ['critical-chain', 'goal.target']).stdout.split('\n\n')[1]).toBe('└─base.target @7s\n');
});

test('prints the new header from v242 on', () => {
  const record = boot([unit('a.service', 3, 5)]);
  expect(analyze(record, ['critical-chain', 'a.service'], behaviourOf(241)).stdout).toContain(
    'The time after the unit is active',
  );
  expect(analyze(record, ['critical-chain', 'a.service'], behaviourOf(242)).stdout).toContain(
    'The time when unit became active',
  );
});

test('prints an error for an invalid unit name, and the chains of the other units', () => {
  const record = boot([unit('a.service', 3, 5)]);
  const { stdout, stderr, exitCode } = analyze(record, ['critical-chain', 'nosuch', 'a.service']);
  expect(stdout).toContain('a.service +2s\n');
  expect(stderr).toBe('Failed to get ID: Unit name nosuch is neither a valid invocation ID nor unit name.\n');
  expect(exitCode).toBe(0);
});

test('prints nothing, not even a header, for a boot without units', () => {
  expect(analyze(boot([]), ['critical-chain'])).toEqual({ stdout: '', stderr: '', exitCode: 0 });
});

test('prints units that took time in red with colours', () => {
  const record = boot([unit('a.service', 3, 5)]);
  const options = { targets: ['a.service'], fuzzUs: 0, isColoured: true };
  expect(compatCriticalChain(record, V252, options).stdout).toContain('\x1b[0;1;31ma.service +2s\x1b[0m\n');
});

test('does not follow units that became active after the boot', () => {
  const record = boot([unit('goal.target', 9, 9, { after: ['late.service'] }), unit('late.service', 70, 80)]);
  expect(analyze(record, ['critical-chain', 'goal.target'], NEWEST).stdout).not.toContain('late.service');
});
