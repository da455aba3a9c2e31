import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fakeClock } from '../../base/fake-clock.ts';
import { fetchPersistently, RETRY_PROFILE, type RetryEvent } from './retry.ts';
import { type FetchedMetadata, MetadataFailure, type MetadataSource } from './source.ts';

const fetched: FetchedMetadata = {
  document: Buffer.from('x'),
  instance: { platform: 'file', addresses: [], tags: {} },
};

/** Fails with these failures, then answers. */
function failing(failures: readonly MetadataFailure[], timeouts: number[] = []): MetadataSource {
  const left = [...failures];
  return {
    name: 'failing',
    isFixed: true,
    fetch: async ({ timeoutMs }) => {
      timeouts.push(timeoutMs);
      const failure = left.shift();
      if (failure) throw failure;
      return fetched;
    },
  };
}

const gone = (retryAfterMs?: number) => new MetadataFailure('metadata/gone', 'gone', { retryAfterMs });
const randoms = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });

describe('the pauses between attempts', () => {
  it('at most double, up to five seconds', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 40 }), randoms, async (count, random) => {
        const pauses: number[] = [];
        const clock = { nowMs: () => 0, sleep: async (ms: number) => void pauses.push(ms) };
        await fetchPersistently(failing(Array.from({ length: count }, () => gone())), { clock, random: () => random });
        expect(pauses).toHaveLength(count);
        pauses.forEach((ms, index) => {
          expect(ms).toBeLessThanOrEqual(Math.min(5000, 100 * 2 ** index));
          expect(ms).toBe(random * Math.min(5000, 100 * 2 ** index));
        });
      }),
    );
  });

  it('do not grow while the network is being configured, but grow if that takes too long', async () => {
    const pauses: number[] = [];
    const clock = { nowMs: () => 0, sleep: async (ms: number) => void pauses.push(ms) };
    const cause = Object.assign(new Error('no route'), { code: 'ENETUNREACH' });
    const unreachable = () => new MetadataFailure('metadata/unreachable', 'no way there', { cause });
    const source = failing([...Array.from({ length: 800 }, unreachable), gone()]);
    await fetchPersistently(source, { clock, random: () => 0.999 });
    const total = (until: number) => pauses.slice(0, until).reduce((sum, ms) => sum + ms, 0);
    const grown = pauses.findIndex((ms) => ms > 100);
    expect(total(grown)).toBeGreaterThanOrEqual(RETRY_PROFILE.networkMs);
    expect(total(grown)).toBeLessThan(RETRY_PROFILE.networkMs + 500);
    expect(pauses.slice(grown + 6, grown + 60).every((ms) => ms > 4900)).toBe(true);
  });

  it('honour Retry-After up to a limit', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 0, max: 2 ** 40 }), randoms, async (askedMs, random) => {
        const clock = fakeClock();
        await fetchPersistently(failing([gone(askedMs)]), { clock, random: () => random });
        expect(clock.sleptMs).toBeGreaterThanOrEqual(Math.min(askedMs, RETRY_PROFILE.maxRetryAfterMs));
        expect(clock.sleptMs).toBeLessThanOrEqual(RETRY_PROFILE.maxRetryAfterMs + 100);
      }),
    );
  });

  it('come with growing request timeouts', async () => {
    const timeouts: number[] = [];
    const source = failing(
      Array.from({ length: 5 }, () => gone()),
      timeouts,
    );
    await fetchPersistently(source, { clock: fakeClock(), random: () => 0 });
    expect(timeouts).toEqual([2000, 4000, 8000, 10_000, 10_000, 10_000]);
  });
});

describe('a document that changes with every read', () => {
  it('is read less and less often and is reported', async () => {
    const stop = new AbortController();
    let reads = 0;
    let nowMs = 0;
    const clock = {
      nowMs: () => nowMs,
      sleep: async (ms: number) => {
        nowMs += ms;
        if (nowMs > 3_600_000) stop.abort(new Error('an hour'));
      },
    };
    const restless: MetadataSource = {
      name: 'restless',
      isFixed: false,
      fetch: async () => ({ ...fetched, document: Buffer.from(`${++reads}`) }),
    };
    const events: string[] = [];
    const onEvent = ({ kind, reason }: RetryEvent) => events.push(`${kind} ${reason}`);
    const asking = fetchPersistently(restless, { clock, random: () => 0.5, signal: stop.signal, onEvent });
    await expect(asking).rejects.toThrow('an hour');
    expect(events).toEqual(['failed metadata/changing', 'degraded metadata/changing']);
    expect(reads).toBeLessThan(1000);
  });
});

describe('fetchPersistently', () => {
  it('reads a new document twice, and a known one once', async () => {
    let reads = 0;
    const fetch = async () => {
      reads++;
      return fetched;
    };
    const source = { name: 'x', isFixed: false, fetch };
    await fetchPersistently(source, { clock: fakeClock(), random: () => 0, isKnown: () => false });
    expect(reads).toBe(2);
    await fetchPersistently(source, { clock: fakeClock(), random: () => 0, isKnown: () => true });
    expect(reads).toBe(3);
  });

  it('ends with a final failure or an error that is not a MetadataFailure', async () => {
    const options = { clock: fakeClock(), random: () => 0 };
    const final = new MetadataFailure('metadata/rejected', 'no', { isFinal: true });
    await expect(fetchPersistently(failing([gone(), final]), options)).rejects.toBe(final);
    const bug = new TypeError('a bug');
    await expect(fetchPersistently({ ...failing([]), fetch: () => Promise.reject(bug) }, options)).rejects.toBe(bug);
  });

  it('counts consecutive refusals', async () => {
    const refused = (message: string) => new MetadataFailure('metadata/refused', message);
    const events: unknown[] = [];
    const failures = [refused('a'), refused('b'), gone(), refused('a')];
    await fetchPersistently(failing(failures), {
      clock: fakeClock(),
      random: () => 0,
      onEvent: (event) => events.push(event),
    });
    expect(events).toMatchObject([{ refusals: 1 }, { refusals: 2 }, { refusals: 0 }, { refusals: 1 }]);
  });
});
