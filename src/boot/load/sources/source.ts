// boot/load/sources/source.ts: the contract of a source: bytes of one kind in, evidence about one or more boots out. No I/O.

import type { Evidence, SourceKind } from '../../model/evidence.ts';
import type { Input } from '../input.ts';

export interface EvidenceSource {
  kind: SourceKind;
  /** What a user would call it, for the message that lists what was looked for. */
  title: string;
  /** How sure the content is of this kind: 0 = not, 1 = certainly. The surest source gets the input. Looks at `head` only. */
  recognise(input: Input): number;
  /**
   * Never throws on any bytes: what cannot be read becomes a warning naming the line, the rest is still returned.
   * One entry per boot the input speaks of, oldest first; empty if nothing could be read. May be asynchronous, so that a
   * heavy library (YAML, a schema) is loaded only by the source that needs it, when it does.
   */
  parse(input: Input, context: ParseContext): Evidence[] | Promise<Evidence[]>;
}

export interface ParseContext {
  /** µs since 1970; only for stamps that leave out the year. */
  nowUs: number;
}
