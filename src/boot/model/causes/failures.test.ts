import { describe, expect, it } from 'vitest';
import { span, unit } from '../../testing.ts';
import { failedJobs, failureOf, failureText } from './failures.ts';

const failed = (result: string, more = {}) =>
  unit('a.service', 2, 0, [], { activatedUs: 0, deactivatedUs: 92e6, activeState: 'failed', result, ...more });

describe('failureOf', () => {
  it.each([
    ['timeout', 'timed out after 1min 30s'],
    ['exit-code', 'exit code'],
    ['oom-kill', 'out of memory'],
    ['new-word', 'new-word'],
  ])('says %s in words', (result, words) => {
    expect(failureOf(failed(result))).toBe(words);
  });

  it('does not blame the start for a failure after it', () => {
    expect(failureOf(failed('timeout', { activatedUs: 3e6 }))).toBe('after it had started (timed out)');
    expect(failureOf(failed('signal', { activatedUs: 3e6 }))).toBe('after it had started (killed by a signal)');
  });

  it('is undefined for a unit that succeeded or that a condition skipped', () => {
    expect(failureOf(unit('a.service', 2, 1))).toBeUndefined();
    expect(failureOf(unit('a.service', 2, 1, [], { result: 'success' }))).toBeUndefined();
    expect(failureOf(unit('a.service', 2, 1, [], { result: 'exec-condition' }))).toBeUndefined();
  });
});

describe('failureText', () => {
  it('names no duration that is unknown', () => {
    expect(failureText('timeout', 0)).toBe('timed out');
    expect(failureText(undefined, 5e6)).toBe('did not start');
  });
});

describe('failedJobs', () => {
  it('takes failed spans of units only, the first of each', () => {
    const wait = span('systemd:wait', 2, 92, { unit: 'dev-a.device', result: 'fail' });
    const again = { ...wait, id: 'systemd:wait#2' };
    const other = span('extension:task', 2, 3, { unit: 'b.service', result: 'fail' });
    const spans = [span('systemd:ok', 1, 2, { unit: 'c.device' }), wait, again, other];
    expect([...failedJobs({ spans })]).toEqual([['dev-a.device', wait]]);
  });
});
