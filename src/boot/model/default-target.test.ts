import { expect, test } from 'vitest';
import { bootRecord, unit } from '../testing.ts';
import { askedUnit, defaultTarget } from './default-target.ts';

const units = [
  unit('cloud-final.service', 33.9, 11.7, ['multi-user.target']),
  unit('multi-user.target', 33.9, 0, ['cloud-config.service']),
  unit('cloud-config.service', 31, 2),
];
const sourcesOf = (...kinds: string[]) => kinds.map((kind) => ({ kind, input: 'paste' }));

test('a pasted chain is about its root, not about the default target inside it', () => {
  const pasted = bootRecord({ units, sources: sourcesOf('analyze-critical-chain') });
  expect(askedUnit(pasted)).toBe('cloud-final.service');
  expect(defaultTarget(pasted)).toBe('multi-user.target');
});

test('a whole listing of units is about the default target, also with a pasted chain', () => {
  const whole = bootRecord({ units, sources: sourcesOf('systemctl-units', 'analyze-critical-chain') });
  expect(askedUnit(whole)).toBe('multi-user.target');
  expect(askedUnit(bootRecord({ units: [] }))).toBeUndefined();
});
