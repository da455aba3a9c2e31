import { describe, expect, it } from 'vitest';
import { systemClock } from '../../base/clock.ts';
import { createSystemdNotifier } from './systemd-notifier.ts';

describe('the systemd notifier', () => {
  /** Each message is pending until the test lets it arrive. */
  function world() {
    const sent: string[] = [];
    const arrivals: (() => void)[] = [];
    const say = (text: string) => {
      sent.push(text);
      return new Promise<undefined>((resolve) => arrivals.push(() => resolve(undefined)));
    };
    const notify = { ready: (text: string) => say(`ready ${text}`), status: say, stopping: async () => undefined };
    const arrive = async () => {
      arrivals.shift()?.();
      await new Promise((resolve) => setImmediate(resolve));
    };
    return {
      sent,
      arrive,
      systemd: createSystemdNotifier({ notify, clock: systemClock, log: () => {}, signal: LIFE }),
    };
  }
  const LIFE = new AbortController().signal;

  /** The first `failures` messages fail. */
  function deaf(failures: number) {
    const sent: string[] = [];
    const stop = new AbortController();
    const ready = async (line: string) => {
      sent.push(`ready ${line}`);
      return sent.length > failures ? undefined : 'systemd-notify timed-out';
    };
    const status = async (line: string) => void sent.push(line);
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
    return { sent, stop, systemd: createSystemdNotifier({ notify, clock, log: () => {}, signal: stop.signal }) };
  }
  const turns = async (count: number) => {
    for (let i = 0; i < count; i++) await new Promise((resolve) => setImmediate(resolve));
  };

  it('repeats ready until it succeeds, because kubelet does not start without it', async () => {
    const { sent, systemd } = deaf(3);
    await systemd.ready('Verifying');
    expect(sent).toEqual(['ready Verifying']);
    await turns(20);
    expect(sent).toEqual(Array(4).fill('ready Verifying'));
  });

  it('does not keep the daemon from stopping', async () => {
    const { sent, stop, systemd } = deaf(Number.POSITIVE_INFINITY);
    await systemd.ready('Verifying');
    stop.abort();
    await systemd.end();
    const before = sent.length;
    await turns(5);
    expect(sent.length).toBe(before);
  });

  it('sends ready once from a restarted daemon, and later statuses as updates', async () => {
    const { sent, systemd } = deaf(0);
    await systemd.ready('restarted');
    await systemd.ready('Applied');
    await turns(2);
    expect(sent).toEqual(['ready restarted', 'Applied']);
  });

  it('sends ready once, without the same line as a status, and no status before it', async () => {
    const { sent, systemd, arrive } = world();
    systemd.news('Fetching', { delaysKubelet: true });
    const ready = systemd.ready('Verifying');
    systemd.news('Verifying', { delaysKubelet: false });
    await arrive();
    await ready;
    expect(sent).toEqual(['ready Verifying']);
  });

  it('sends one message at a time, and only the latest of several', async () => {
    const { sent, systemd, arrive } = world();
    for (const line of ['a', 'b', 'c', 'c']) systemd.news(line, { delaysKubelet: false });
    await arrive();
    await arrive();
    await systemd.end();
    expect(sent).toEqual(['a', 'c']);
  });
});
