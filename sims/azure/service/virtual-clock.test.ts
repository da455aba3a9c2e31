import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { VirtualClock } from './virtual-clock.ts';

describe('the virtual clock', () => {
  it('lets forty minutes pass at once', async () => {
    const clock = new VirtualClock(0);
    await clock.sleep(40 * 60_000);
    expect(clock.nowMs()).toBe(40 * 60_000);
  });

  it('wakes sleepers in the order of their deadlines, independent of who slept first', () =>
    fc.assert(
      fc.asyncProperty(fc.array(fc.nat(1000), { minLength: 1, maxLength: 20 }), async (waits) => {
        const clock = new VirtualClock(0);
        const woken: { wait: number; atMs: number }[] = [];
        await Promise.all(waits.map((wait) => clock.sleep(wait).then(() => woken.push({ wait, atMs: clock.nowMs() }))));
        expect(woken.map(({ wait }) => wait)).toEqual(waits.toSorted((a, b) => a - b));
        for (const { wait, atMs } of woken) expect(atMs).toBe(wait);
      }),
    ));

  it('lets a sleeper sleep again before a later one wakes', async () => {
    const clock = new VirtualClock(0);
    const seen: string[] = [];
    const every = async (name: string, ms: number) => {
      for (let i = 0; i < 3; i++) {
        await clock.sleep(ms);
        seen.push(`${name}@${clock.nowMs()}`);
      }
    };
    await Promise.all([every('slow', 25), every('fast', 10)]);
    expect(seen).toEqual(['fast@10', 'fast@20', 'slow@25', 'fast@30', 'slow@50', 'slow@75']);
  });

  it('does not advance while work runs', async () => {
    const clock = new VirtualClock(0);
    const control = new AbortController();
    let beats = 0;
    const heart = (async () => {
      for (;;) {
        await clock.sleep(10, control.signal);
        beats += 1;
      }
    })().catch(() => {});
    await clock.during(async () => {
      for (let turn = 0; turn < 50; turn++) await new Promise((resolve) => setImmediate(resolve));
    });
    expect(beats).toBe(0);
    await clock.sleep(35);
    control.abort();
    await heart;
    expect(beats).toBe(3);
  });

  it('wakes sleepers when it is advanced', async () => {
    const clock = new VirtualClock(0);
    const nap = clock.sleep(10).then(() => clock.nowMs());
    clock.advance(1000);
    expect(clock.nowMs()).toBe(1000);
    await nap;
  });

  it('rejects with the reason of an abort, before and during the sleep', async () => {
    const clock = new VirtualClock(0);
    await expect(clock.sleep(1, AbortSignal.abort('no'))).rejects.toBe('no');
    const control = new AbortController();
    const nap = clock.sleep(1, control.signal);
    control.abort('enough');
    await expect(nap).rejects.toBe('enough');
    expect(clock.nowMs()).toBe(0);
  });
});
