import { describe, expect, it } from 'vitest';
import { ApiFailure } from '../api/api-server.ts';
import type { OwnNode } from '../api/own-node.ts';
import type { NodeStatus } from './node-status.ts';
import { createStatusPublisher } from './publish.ts';

const status = (code: NodeStatus['code'], phase: NodeStatus['phase'] = 'Applied'): NodeStatus => ({
  phase,
  code,
  detail: 'x',
  since: '2026-11-16T05:00:00.000Z',
  notes: [],
  isReady: true,
  bad: [],
  source: 's',
  daemon: { pid: 1, startedAt: 'x' },
});

/** An API server that fails the given number of times. */
function world(failures: number) {
  const written: string[] = [];
  const troubles: string[] = [];
  const pauses: number[] = [];
  const stop = new AbortController();
  let left = failures;
  const unused = async (): Promise<never> => {
    throw new Error('not used here');
  };
  const node: OwnNode = {
    get: unused,
    cordon: unused,
    pods: unused,
    evict: unused,
    watchMetadata: unused,
    async patchMetadata({ annotations }) {
      if (left-- > 0) throw new ApiFailure('away');
      written.push(`annotations ${annotations?.['headstart.dev/config-reason']}`);
    },
    async patchCondition({ reason }) {
      written.push(`condition ${reason}`);
    },
    async createEvent({ reason }) {
      written.push(`event ${reason}`);
      if (written.length >= 3) setImmediate(() => stop.abort());
    },
  };
  const clock = {
    nowMs: () => 0,
    sleep: async (ms: number) => {
      pauses.push(ms);
    },
  };
  const publishing = createStatusPublisher({
    node,
    clock,
    random: () => 1,
    onTrouble: (message) => troubles.push(message),
  });
  return { written, troubles, pauses, stop, publishing };
}

describe('the status publisher', () => {
  it('writes annotations, condition and event', async () => {
    const { written, stop, publishing } = world(0);
    publishing.publish(status('ok/applied'));
    await publishing.run(stop.signal);
    expect(written).toEqual(['annotations ok/applied', 'condition OkApplied', 'event ConfigApplied']);
  });

  it('retries with growing pauses, reports the reason once, and publishes only the latest status', async () => {
    const { written, troubles, pauses, stop, publishing } = world(8);
    publishing.publish(status('metadata/waiting', 'Fetching'));
    publishing.publish(status('ok/applied'));
    await publishing.run(stop.signal);
    expect(written).toEqual(['annotations ok/applied', 'condition OkApplied', 'event ConfigApplied']);
    expect(troubles).toEqual(['away']);
    expect(pauses).toEqual([2000, 4000, 8000, 16_000, 32_000, 60_000, 60_000, 60_000]);
  });

  it('waits for a new status, and ends without one', async () => {
    const { written, stop, publishing } = world(0);
    const running = publishing.run(stop.signal);
    await new Promise((resolve) => setImmediate(resolve));
    expect(written).toEqual([]);
    publishing.publish(status('ok/applied'));
    await running;
    expect(written).toHaveLength(3);

    const idle = world(0);
    const waiting = idle.publishing.run(idle.stop.signal);
    idle.stop.abort();
    await waiting;
    expect(idle.written).toEqual([]);
  });
});
