// node/triggers/poll.ts: when is the metadata service polled? About once a minute, with a jitter that differs from node to node but is
// reproducible for one node; every few seconds for a while after an announcement.
import { createHash } from 'node:crypto';

export interface PollPace {
  /** From 0 up to 1, different for each node. */
  seed: number;
  /** update.pollEvery of the document. */
  pollMs: number;
  /** Number of polls so far. */
  count: number;
}

/** All agents of an instance share five requests per second, and a poll that finds a new document makes two. */
export const FAST_MS = 5000;
export const FAST_FOR_MS = 120_000;
const SPREAD = 0.2;

export function pollDelayMs({ seed, pollMs, count }: PollPace, isFast: boolean): number {
  const aroundMs = isFast ? Math.min(FAST_MS, pollMs) : pollMs;
  return Math.round(aroundMs * (1 - SPREAD + 2 * SPREAD * fractionOf(`${seed} ${count}`)));
}

/** `id` is unique to the instance: its VM id or machine id. */
export function seedOf(id: string): number {
  return fractionOf(id);
}

/** The delay of this node in a change that is spread over `jitterMs`. */
export function jitterDelayMs(seed: number, jitterMs: number): number {
  return Math.floor(seed * jitterMs);
}

function fractionOf(text: string): number {
  return createHash('sha256').update(text).digest().readUInt32BE(0) / 2 ** 32;
}
