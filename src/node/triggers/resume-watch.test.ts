import { describe, expect, it } from 'vitest';
import type { Clock } from '../../base/clock.ts';
import { watchForResume } from './resume-watch.ts';

/** Sleeps last as long on both clocks, except that the wall clock jumps in the given ones. */
async function jumpsSeen(jumpsMs: number[]): Promise<number[]> {
  let [wallMs, steadyMs] = [1_000_000, 0];
  const seen: number[] = [];
  const stop = new AbortController();
  const clock: Clock = {
    nowMs: () => wallMs,
    async sleep(ms) {
      const jump = jumpsMs.shift();
      if (jump === undefined) return stop.abort();
      wallMs += ms + jump;
      steadyMs += ms;
    },
  };
  const onResume = (sleptMs: number) => void seen.push(sleptMs);
  await watchForResume({ clock, steadyMs: () => steadyMs, onResume }, stop.signal);
  return seen;
}

describe('the watch for a resume', () => {
  it('sees a sleep once, with its length', async () => {
    expect(await jumpsSeen([0, 3_600_000, 0, 0, 7000, 0])).toEqual([3_600_000, 7000]);
  });

  it('sees none in small corrections of the clock, nor when it is set back', async () => {
    expect(await jumpsSeen([200, -200, 4000, -3_600_000, 0])).toEqual([]);
  });
});
