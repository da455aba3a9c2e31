import { describe, expect, it } from 'vitest';
import { aWorld } from './effects.testing.ts';
import { reportUnexpected } from './unexpected.ts';

describe('reportUnexpected', () => {
  it('dispatches the message and logs the stack', () => {
    const { context, dispatched, logged } = aWorld();
    reportUnexpected(context, 'work', new RangeError('too far'));
    expect(dispatched).toEqual([{ is: 'broke', lane: 'work', detail: 'too far' }]);
    expect(logged[0]).toMatch(/^error unexpected: RangeError: too far\n {4}at /);
  });

  it('accepts a value that is not an Error', () => {
    const { context, dispatched, logged } = aWorld();
    reportUnexpected(context, 'fetch', 'nonsense');
    expect([dispatched, logged]).toEqual([
      [{ is: 'broke', lane: 'fetch', detail: 'nonsense' }],
      ['error unexpected: nonsense'],
    ]);
  });

  it('does not log once the daemon stops, because the work was aborted', () => {
    const { context, dispatched, logged, stop } = aWorld();
    stop();
    reportUnexpected(context, 'work', new Error('aborted'));
    expect([dispatched.length, logged]).toEqual([1, []]);
  });
});
