// node/status/publish.ts: how does the latest report get to the Node object, although the API server may not be there yet, or for hours?
// The latest only: what was true in between is in the journal.
import { type Backoff, pauseMs } from '../../base/backoff.ts';
import type { Clock } from '../../base/clock.ts';
import { ApiFailure } from '../api/api-server.ts';
import type { OwnNode } from '../api/own-node.ts';
import { type NodeReport, reportOf } from './node-report.ts';
import type { NodeStatus } from './node-status.ts';

export interface StatusPublisher {
  /** Returns at once. */
  publish(status: NodeStatus): void;
  /** Ends with `signal`; what was not told by then is told by the next daemon. */
  run(signal: AbortSignal): Promise<void>;
}

export interface StatusPublisherDeps {
  node: OwnNode;
  clock: Clock;
  /** From 0 up to 1. */
  random(): number;
  /** Told when the cause changes, not every time. */
  onTrouble(message: string): void;
}

const BACKOFF: Backoff = { firstMs: 1000, maxMs: 60_000, jitter: 0.5 };

export function createStatusPublisher({ node, clock, random, onTrouble }: StatusPublisherDeps): StatusPublisher {
  let wanted: NodeStatus | undefined;
  let saidEvent = '';
  let wake = () => {};

  async function tell(status: NodeStatus): Promise<void> {
    const { annotations, condition, event } = reportOf(status);
    const now = new Date(clock.nowMs()).toISOString();
    await node.patchMetadata({ annotations });
    await node.patchCondition({ ...condition, lastHeartbeatTime: now });
    if (event === undefined || saidEvent === keyOf(event)) return;
    await node.createEvent({ ...event, time: now });
    saidEvent = keyOf(event);
  }

  async function tryOnce(lastTrouble: string): Promise<string> {
    const status = wanted;
    if (status === undefined) return '';
    try {
      await tell(status);
      if (wanted === status) wanted = undefined; // another one may have come meanwhile
      return '';
    } catch (error) {
      if (!(error instanceof ApiFailure)) throw error;
      if (error.message !== lastTrouble) onTrouble(error.message);
      return error.message;
    }
  }

  return {
    publish(status) {
      wanted = status;
      wake();
    },
    async run(signal) {
      let failures = 0;
      let trouble = '';
      while (!signal.aborted) {
        trouble = await tryOnce(trouble);
        failures = trouble === '' ? 0 : failures + 1;
        if (wanted !== undefined && failures === 0) continue;
        await rest(failures === 0 ? undefined : pauseMs(failures + 1, BACKOFF, { random: random() }), signal);
      }
    },
  };

  /** Until there is something new to tell, or, when the last one was not told, until it is time to try again. */
  async function rest(ms: number | undefined, signal: AbortSignal): Promise<void> {
    const woken = new AbortController();
    wake = () => woken.abort();
    const either = AbortSignal.any([signal, woken.signal]);
    if (ms === undefined) {
      if (wanted !== undefined || either.aborted) return;
      await new Promise<void>((resolve) => either.addEventListener('abort', () => resolve(), { once: true }));
      return;
    }
    // News do not make a server that is away come back: they wait like the rest.
    await clock.sleep(ms, signal).catch(() => {});
  }
}

function keyOf({ reason, message }: NonNullable<NodeReport['event']>): string {
  return `${reason} ${message}`;
}
