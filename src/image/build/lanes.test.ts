import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { inLanes } from './lanes.ts';

const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

describe('inLanes', () => {
  it('returns results in order, and runs at most as many items at a time as there are lanes', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(4), { maxLength: 9 }), fc.integer({ min: 1, max: 4 }), async (turns, lanes) => {
        let [now, most] = [0, 0];
        const results = await inLanes(turns, { lanes }, async (count) => {
          most = Math.max(most, ++now);
          for (let i = 0; i < count; i++) await turn();
          now--;
          return count * 2;
        });
        expect(results).toEqual(turns.map((count) => count * 2));
        expect(most).toBeLessThanOrEqual(lanes);
      }),
    );
  });

  it('aborts the other items on the first failure, and waits for them', async () => {
    const seen: string[] = [];
    const running = inLanes(['slow', 'bad', 'never'], { lanes: 2 }, async (name, signal) => {
      seen.push(name);
      await turn();
      if (name === 'bad') throw new Error('bad');
      while (!signal.aborted) await turn();
      seen.push(`${name} stopped`);
      signal.throwIfAborted();
    });
    await expect(running).rejects.toThrow('bad');
    expect(seen).toEqual(['slow', 'bad', 'slow stopped']);
  });

  it('stops when aborted, with the reason', async () => {
    const stop = new AbortController();
    const running = inLanes([1, 2, 3], { lanes: 2, signal: stop.signal }, async () => {
      stop.abort(new Error('enough'));
      await turn();
    });
    await expect(running).rejects.toThrow('enough');
  });
});
