import { describe, expect, it } from 'vitest';
import { aWorld } from './effects.testing.ts';
import { reportUnexpected } from './unexpected.ts';

describe('a failure that no effect expects', () => {
  it('is told with its message, and logged with its stack', () => {
    const { context, told, logged } = aWorld();
    reportUnexpected(context, 'work', new RangeError('too far'));
    expect(told).toEqual([{ is: 'broke', lane: 'work', detail: 'too far' }]);
    expect(logged[0]).toMatch(/^error unexpected: RangeError: too far\n {4}at /);
  });

  it('need not be an error', () => {
    const { context, told, logged } = aWorld();
    reportUnexpected(context, 'fetch', 'nonsense');
    expect([told, logged]).toEqual([
      [{ is: 'broke', lane: 'fetch', detail: 'nonsense' }],
      ['error unexpected: nonsense'],
    ]);
  });

  it('is not logged once the daemon stops: it was called off', () => {
    const { context, told, logged, stop } = aWorld();
    stop();
    reportUnexpected(context, 'work', new Error('aborted'));
    expect([told.length, logged]).toEqual([1, []]);
  });
});
