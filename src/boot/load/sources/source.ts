// boot/load/sources/source.ts: the contract of a source: parse bytes of one kind into evidence about boots, without I/O.

import type { Evidence, SourceKind } from '../../model/evidence.ts';
import type { Input } from '../input.ts';

export interface EvidenceSource {
  kind: SourceKind;
  /** For users: the error about an unrecognised input lists these. */
  title: string;
  /** Confidence from 0 (not this kind) to 1 (certain). The source with the highest value parses the input. Reads only `head`. */
  recognise(input: Input): number;
  /** Asked if no source recognises the head: whether this kind follows other text. `start` is the first 4 MiB. */
  recogniseFurther?(start: string): boolean;
  /** Whether the times in this input have no year, and only another input can tell it. */
  lacksYear?(input: Input, nowUs: number): boolean;
  /**
   * Never throws, for any bytes: unreadable parts become warnings with a line number, and the rest is returned.
   * One entry per boot in the input, oldest first; empty if nothing is readable. May be asynchronous, so that a source
   * can import a large library (YAML, a schema) only when it needs it.
   */
  parse(input: Input, context: ParseContext): Evidence[] | Promise<Evidence[]>;
}

export interface ParseContext {
  /** µs since 1970; only for stamps without a year. */
  nowUs: number;
  /** Wall-clock times (µs since 1970) in the other inputs given together; for the same. */
  datesUs?: readonly number[];
}
