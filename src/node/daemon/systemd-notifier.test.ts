import { describe, expect, it } from 'vitest';
import { systemClock } from '../../base/clock.ts';
import { createSystemdNotifier } from './systemd-notifier.ts';

describe('systemd', () => {
  /** Each message stays on its way until the test lets it arrive. */
  function world() {
    const said: string[] = [];
    const arrivals: (() => void)[] = [];
    const say = (text: string) => {
      said.push(text);
      return new Promise<undefined>((resolve) => arrivals.push(() => resolve(undefined)));
    };
    const notify = { ready: (text: string) => say(`ready ${text}`), status: say, stopping: async () => undefined };
    const arrive = async () => {
      arrivals.shift()?.();
      await new Promise((resolve) => setImmediate(resolve));
    };
    return {
      said,
      arrive,
      systemd: createSystemdNotifier({ notify, clock: systemClock, log: () => {}, signal: LIFE }),
    };
  }
  const LIFE = new AbortController().signal;

  /** systemd takes nothing so far; the clock stands still until the test lets it go on. */
  function deaf(failures: number) {
    const said: string[] = [];
    const stop = new AbortController();
    const ready = async (line: string) => {
      said.push(`ready ${line}`);
      return said.length > failures ? undefined : 'systemd-notify timed-out';
    };
    const status = async (line: string) => void said.push(line);
    const clock = {
      nowMs: () => 0,
      sleep: (_ms: number, signal?: AbortSignal) =>
        new Promise<void>((resolve, reject) => {
          if (signal?.aborted) reject(signal.reason);
          signal?.addEventListener('abort', () => reject(signal.reason));
          setImmediate(resolve);
        }),
    };
    const notify = { ready, status, stopping: async () => undefined };
    return { said, stop, systemd: createSystemdNotifier({ notify, clock, log: () => {}, signal: stop.signal }) };
  }
  const turns = async (count: number) => {
    for (let i = 0; i < count; i++) await new Promise((resolve) => setImmediate(resolve));
  };

  it('is told ready until it has heard it: without it kubelet never starts', async () => {
    const { said, systemd } = deaf(3);
    await systemd.ready('Verifying');
    expect(said).toEqual(['ready Verifying']);
    await turns(20);
    expect(said).toEqual(Array(4).fill('ready Verifying'));
  });

  it('does not keep the daemon from ending', async () => {
    const { said, stop, systemd } = deaf(Number.POSITIVE_INFINITY);
    await systemd.ready('Verifying');
    stop.abort();
    await systemd.end();
    const before = said.length;
    await turns(5);
    expect(said.length).toBe(before);
  });

  it('is told ready once by a daemon that started again, and what that finds as news', async () => {
    const { said, systemd } = deaf(0);
    await systemd.ready('started again');
    await systemd.ready('Applied');
    await turns(2);
    expect(said).toEqual(['ready started again', 'Applied']);
  });

  it('is told ready once, without the same again as a status, and nothing on the way to it', async () => {
    const { said, systemd, arrive } = world();
    systemd.news('Fetching', { isOnTheWay: true });
    const ready = systemd.ready('Verifying');
    systemd.news('Verifying', { isOnTheWay: false });
    await arrive();
    await ready;
    expect(said).toEqual(['ready Verifying']);
  });

  it('is told one thing at a time, and of many only the latest', async () => {
    const { said, systemd, arrive } = world();
    for (const line of ['a', 'b', 'c', 'c']) systemd.news(line, { isOnTheWay: false });
    await arrive();
    await arrive();
    await systemd.end();
    expect(said).toEqual(['a', 'c']);
  });
});
