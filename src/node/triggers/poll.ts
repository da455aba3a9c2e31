// node/triggers/poll.ts: when is the metadata service asked again? Once a minute or so, at a moment that differs from node to node and is
// the same for one node each time; every few seconds for a while after somebody said that there is something to see.
import { createHash } from 'node:crypto';

export interface PollPace {
  /** From 0 up to 1, of this node alone. */
  seed: number;
  /** What the document asks for. */
  pollMs: number;
  /** How often it was asked before. */
  count: number;
}

/** All agents of an instance share five requests a second, and every look is two of them. */
export const FAST_MS = 5000;
export const FAST_FOR_MS = 120_000;
const SPREAD = 0.2;

export function pollDelayMs({ seed, pollMs, count }: PollPace, isFast: boolean): number {
  const aroundMs = isFast ? Math.min(FAST_MS, pollMs) : pollMs;
  return Math.round(aroundMs * (1 - SPREAD + 2 * SPREAD * fractionOf(`${seed} ${count}`)));
}

/** Of whatever is unique to the instance: the platform's id of it, or that of the machine. */
export function seedOf(id: string): number {
  return fractionOf(id);
}

/** Its turn within a change that is spread over `jitterMs`. */
export function turnMs(seed: number, jitterMs: number): number {
  return Math.floor(seed * jitterMs);
}

function fractionOf(text: string): number {
  return createHash('sha256').update(text).digest().readUInt32BE(0) / 2 ** 32;
}
