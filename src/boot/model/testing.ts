// boot/model/testing.ts: evidence to test with: anchors and spans of one boot whose kernel started at a known wall time.
import { span } from '../testing.ts';
import type { Anchor, Evidence } from './evidence.ts';
import { mergeEvidence } from './merge-evidence.ts';
import type { BootRecord, Span } from './record.ts';

/** Wall clock, in µs, when the kernel started. */
export const WALL = 1_794_776_878_000_000;

export function anchor(wallAtZeroUs = WALL, errorUs = 0): Anchor {
  return { monotonicUs: 1e6, wallUs: wallAtZeroUs + 1e6, errorUs };
}

/** A span on the wall clock, its times given in seconds since the kernel started. */
export function wallSpan(id: string, startS: number, endS: number): Span {
  const moved = span(id, startS, endS);
  return { ...moved, startUs: moved.startUs + WALL, endUs: moved.endUs + WALL };
}

/** The boots that the files of one folder make. */
export function merge(...pieces: Evidence[]): BootRecord[] {
  return mergeEvidence([{ isFolder: true, evidence: pieces }]);
}
