// node/status/publish.ts: how does the latest report reach the Node object if the API server is unreachable, possibly
// for hours? Retries, and publishes only the latest report; earlier ones are in the journal.
import { type Backoff, pauseMs } from '../../base/backoff.ts';
import type { Clock } from '../../base/clock.ts';
import { ApiFailure } from '../api/api-server.ts';
import type { OwnNode } from '../api/own-node.ts';
import { type NodeReport, reportOf } from './node-report.ts';
import type { NodeStatus } from './node-status.ts';

export interface StatusPublisher {
  /** Returns immediately. */
  publish(status: NodeStatus): void;
  /** Ends with `signal`. The next daemon publishes what is still unpublished. */
  run(signal: AbortSignal): Promise<void>;
}

export interface StatusPublisherDeps {
  node: OwnNode;
  clock: Clock;
  /** From 0 up to 1. */
  random(): number;
  /** Called when the cause changes, not at every retry. */
  onTrouble(message: string): void;
}

const BACKOFF: Backoff = { firstMs: 1000, maxMs: 60_000, jitter: 0.5 };

export function createStatusPublisher({ node, clock, random, onTrouble }: StatusPublisherDeps): StatusPublisher {
  let pending: NodeStatus | undefined;
  let lastEvent = '';
  let wake = () => {};

  async function send(status: NodeStatus): Promise<void> {
    const { annotations, condition, event } = reportOf(status);
    const now = new Date(clock.nowMs()).toISOString();
    await node.patchMetadata({ annotations });
    await node.patchCondition({ ...condition, lastHeartbeatTime: now });
    if (event === undefined || lastEvent === keyOf(event)) return;
    await node.createEvent({ ...event, time: now });
    lastEvent = keyOf(event);
  }

  async function tryOnce(lastTrouble: string): Promise<string> {
    const status = pending;
    if (status === undefined) return '';
    try {
      await send(status);
      if (pending === status) pending = undefined; // unless a newer status arrived meanwhile
      return '';
    } catch (error) {
      if (!(error instanceof ApiFailure)) throw error;
      if (error.message !== lastTrouble) onTrouble(error.message);
      return error.message;
    }
  }

  return {
    publish(status) {
      pending = status;
      wake();
    },
    async run(signal) {
      let failures = 0;
      let trouble = '';
      while (!signal.aborted) {
        trouble = await tryOnce(trouble);
        failures = trouble === '' ? 0 : failures + 1;
        if (pending !== undefined && failures === 0) continue;
        await rest(failures === 0 ? undefined : pauseMs(failures + 1, BACKOFF, { random: random() }), signal);
      }
    },
  };

  /** Waits for a new status, or after a failure for the next retry. */
  async function rest(ms: number | undefined, signal: AbortSignal): Promise<void> {
    const woken = new AbortController();
    wake = () => woken.abort();
    const either = AbortSignal.any([signal, woken.signal]);
    if (ms === undefined) {
      if (pending !== undefined || either.aborted) return;
      await new Promise<void>((resolve) => either.addEventListener('abort', () => resolve(), { once: true }));
      return;
    }
    // A new status does not shorten the backoff: the server is still unreachable.
    await clock.sleep(ms, signal).catch(() => {});
  }
}

function keyOf({ reason, message }: NonNullable<NodeReport['event']>): string {
  return `${reason} ${message}`;
}
