import { describe, expect, it } from 'vitest';
import { Forbidden } from '../../base/failures.ts';
import { fakeClock } from '../../base/fake-clock.ts';
import type { JoinEvent, JoinEventName } from './join-events.ts';
import { fakeFeed, nodeObject, podObject, requestObject } from './testing.ts';
import { followJoining, listJoining } from './watch-joining.ts';

const settle = async () => {
  for (let turn = 0; turn < 50; turn++) await Promise.resolve();
};

function watching({ until, startedMs }: { until?: JoinEventName; startedMs?: number } = {}) {
  const clock = fakeClock();
  const feed = fakeFeed();
  const stopping = new AbortController();
  const told: JoinEvent[] = [];
  let opened = 0;
  const startMs = startedMs ?? clock.nowMs();
  const begin = (onEvent: (event: JoinEvent) => void = (event) => void told.push(event)) => {
    const options = { nodeName: 'pool-000001', clock, startedMs: startMs, signal: stopping.signal };
    return followJoining(feed, { ...options, ...(until && { until }), onOpen: () => opened++ }, onEvent);
  };
  const later = (ms: number) => clock.advance(ms);
  return {
    clock,
    feed,
    stopping,
    told,
    names: () => told.map(({ event }) => event),
    begin,
    later,
    startMs,
    opened: () => opened,
  };
}

describe('watching a new node', () => {
  it('reports when the watches are open, then events, and ends on abort', async () => {
    const { feed, begin, told, later, clock, opened, stopping } = watching();
    const done = begin();
    await settle();
    expect(opened()).toBe(1);
    later(10_000);
    feed.put('nodes', nodeObject('n', clock.nowMs()));
    later(1_500);
    feed.put('nodes', nodeObject('n', clock.nowMs(), { ready: 'True' }));
    stopping.abort();
    await done;
    expect(told.map(({ event, atMs }) => [event, atMs - clock.nowMs()])).toEqual([
      ['node-registered', -1_500],
      ['node-ready', 0],
      ['node-schedulable', 0],
    ]);
  });

  it('ends after the event in `until`', async () => {
    const { feed, begin, names, later } = watching({ until: 'node-ready' });
    const done = begin();
    await settle();
    later(1_000);
    feed.put('nodes', nodeObject('n', 0 + Date.UTC(2026, 10, 15, 3), { ready: 'True' }));
    await done;
    expect(names()).toEqual(['node-registered', 'node-ready']);
  });

  it('opens no watch when the first list has the event in `until`: such a watch would not hear the abort', async () => {
    const { feed, begin, names, clock } = watching({ until: 'node-ready' });
    feed.put('nodes', nodeObject('n', clock.nowMs(), { ready: 'True' }));
    await begin();
    expect(names()).toEqual(['node-registered', 'node-ready']);
    expect(feed.asked).not.toContain('watch nodes');
  });

  it('continues after a watch ends, and lists again when the version has expired', async () => {
    const { feed, begin, names, later, clock, stopping, opened } = watching();
    const done = begin();
    await settle();
    later(1_000);
    feed.put('requests', requestObject('r', clock.nowMs()));
    feed.drop();
    await settle();
    expect(feed.asked.filter((what) => what === 'list requests')).toHaveLength(1);
    later(1_000);
    feed.put('requests', requestObject('r', clock.nowMs(), { decided: ['Approved'] }));
    feed.put('nodes', nodeObject('x', clock.nowMs(), { name: 'another' }));
    feed.compact();
    feed.put('nodes', nodeObject('n', clock.nowMs()));
    feed.compact();
    feed.drop();
    await settle();
    expect(feed.asked.filter((what) => what === 'list requests').length).toBeGreaterThan(1);
    later(1_000);
    feed.put('pods', podObject('p', clock.nowMs(), 'Running', [clock.nowMs()]));
    stopping.abort();
    await done;
    expect(names()).toEqual(['csr-created', 'csr-approved', 'node-registered', 'pod-bound', 'pod-running']);
    expect(opened()).toBe(1);
  });

  it('reports events of an outage with their uncertainty', async () => {
    const { feed, begin, told, later, clock, stopping } = watching();
    const done = begin();
    await settle();
    later(1_000);
    feed.failNext(30);
    feed.drop();
    const lostMs = clock.nowMs();
    feed.put('nodes', nodeObject('n', lostMs + 4_000, { ready: 'True' }));
    await settle();
    later(0);
    stopping.abort();
    await done;
    expect(told.map(({ event }) => event)).toEqual(['node-registered', 'node-ready', 'node-schedulable']);
    const [registered, ready] = told;
    expect(registered).toMatchObject({ atMs: lostMs + 4_500, errorMs: 500 });
    expect(ready!.atMs - ready!.errorMs!).toBeGreaterThanOrEqual(lostMs);
    expect(ready!.atMs + ready!.errorMs!).toBeLessThanOrEqual(clock.nowMs());
    expect(clock.sleptMs).toBeGreaterThan(4_000);
  });

  it('waits for an API server that is not up yet', async () => {
    const { feed, begin, opened, stopping } = watching();
    feed.failNext(20);
    const done = begin();
    await settle();
    await settle();
    expect(opened()).toBe(1);
    stopping.abort();
    await done;
  });

  it('fails on a permanent error and leaves no watch open', async () => {
    const { feed, begin } = watching();
    feed.failNext(1, new Forbidden('no right to list nodes'));
    await expect(begin()).rejects.toThrow('no right to');
    const asked = feed.asked.length;
    feed.drop();
    await settle();
    expect(feed.asked).toHaveLength(asked);
  });

  it('fails with the error of its listener', async () => {
    const { feed, begin, clock } = watching();
    const done = begin(() => {
      throw new Error('the disk is full');
    });
    const ended = expect(done).rejects.toThrow('the disk is full');
    await settle();
    feed.put('nodes', nodeObject('n', clock.nowMs()));
    await ended;
  });

  it('can be replaced by a later read with less precise times', async () => {
    const { clock, feed, startMs, stopping } = watching();
    clock.advance(60_000);
    feed.put('pods', podObject('p', startMs + 40_000, 'Running', [startMs + 41_000]));
    feed.put('nodes', nodeObject('n', startMs + 31_000, { ready: 'True', changedMs: startMs + 33_000 }));
    const look = { nodeName: 'pool-000001', clock, startedMs: startMs, signal: stopping.signal };
    const told = await listJoining(feed, look);
    expect(told.map(({ event, atMs, errorMs }) => [event, atMs - startMs, errorMs])).toEqual([
      ['node-schedulable', 30_000, 30_000],
      ['pod-bound', 30_000, 30_000],
      ['node-registered', 31_500, 500],
      ['node-ready', 33_500, 1_500],
      ['pod-running', 41_500, 1_500],
    ]);
    expect(feed.asked).toEqual(['list requests', 'list nodes', 'list pods']);
  });

  it('does nothing if aborted before the start', async () => {
    const { feed, begin, stopping } = watching();
    stopping.abort();
    await begin();
    expect(feed.asked).toEqual([]);
  });
});
