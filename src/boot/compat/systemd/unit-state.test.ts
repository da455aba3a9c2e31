import { expect, test } from 'vitest';
import { boot, unit } from './testing.ts';
import { isRestarted, startState, unitLabels } from './unit-state.ts';

test.each([
  ['started', unit('a.service', 3, 5)],
  ['ran', unit('a.service', 3, 0, { deactivatedUs: 5e6, activeState: 'inactive' })],
  ['starting', unit('a.service', 3, 0, { activeState: 'activating' })],
  ['failed', unit('a.service', 3, 5, { activeState: 'failed' })],
  ['failed', unit('a.service', 3, 5, { result: 'exit-code' })],
  ['failed', unit('a.service', 3, 0, { deactivatedUs: 5e6 })],
  ['started', unit('a.service', 3, 5, { activeState: 'active', result: 'exit-code' })],
  ['condition-failed', unit('a.service', 0, 0, { conditionFailed: true })],
  ['not-found', unit('a.service', 0, 0, { loadState: 'not-found', conditionFailed: true })],
  ['never-started', unit('a.service', 0, 0)],
])('startState is %s for %j', (state, one) => {
  expect(startState(one)).toBe(state);
});

test('isRestarted is true for a unit that ended before its start', () => {
  expect(isRestarted(unit('a.service', 30, 31, { deactivatedUs: 8e6 }))).toBe(true);
  expect(isRestarted(unit('a.service', 3, 5, { deactivatedUs: 8e6 }))).toBe(false);
  expect(isRestarted(unit('a.service', 0, 0, { deactivatedUs: 8e6 }))).toBe(false);
});

test.each([
  [unit('a.service', 3, 5), []],
  [unit('a.service', 3, 5, { activeState: 'failed' }), ['failed']],
  [unit('chrony-wait.service', 3, 5), ['wait: clock: until it is synchronised']],
  [unit('a.service', 70, 75), ['started after boot']],
  [unit('a.service', 70, 75, { deactivatedUs: 9e6 }), ['restarted after boot']],
  [unit('a.service', 30, 31, { deactivatedUs: 9e6 }), ['restarted: not its first start']],
  [unit('a.service', 0, 0, { conditionFailed: true }), ['condition failed: did not run']],
])('unitLabels of %j are %j', (one, labels) => {
  expect(unitLabels(one, boot([one]))).toEqual(labels);
});

test('unitLabels never marks a unit as started after an unfinished boot', () => {
  const one = unit('a.service', 70, 75);
  expect(unitLabels(one, boot([one], { finishUs: 0 }))).toEqual([]);
});
