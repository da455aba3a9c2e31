// boot/model/testing.ts: test evidence: anchors and spans of one boot with a known wall time of kernel start.
import { span } from '../testing.ts';
import type { Anchor, Evidence } from './evidence.ts';
import { mergeEvidence } from './merge-evidence.ts';
import type { BootRecord, Span } from './record.ts';

/** Wall clock at kernel start, in µs. */
export const WALL = 1_794_776_878_000_000;

export function anchor(wallAtZeroUs = WALL, errorUs = 0): Anchor {
  return { monotonicUs: 1e6, wallUs: wallAtZeroUs + 1e6, errorUs };
}

/** A span on the wall clock; the parameters are seconds since kernel start. */
export function wallSpan(id: string, startS: number, endS: number): Span {
  const moved = span(id, startS, endS);
  return { ...moved, startUs: moved.startUs + WALL, endUs: moved.endUs + WALL };
}

export function merge(...pieces: Evidence[]): BootRecord[] {
  return mergeEvidence([{ isFolder: true, evidence: pieces }]);
}
