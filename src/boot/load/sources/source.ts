// boot/load/sources/source.ts: the contract of a source: bytes of one kind in, evidence about one or more boots out. No I/O.

import type { HostFacts, ManagerTimes, Milestone, Note, Span, Unit } from '../../model/record.ts';
import type { Input } from '../input.ts';

export type SourceKind =
  | 'boot-record'
  | 'systemctl-manager'
  | 'systemctl-units'
  | 'analyze-time'
  | 'analyze-blame'
  | 'analyze-critical-chain'
  | 'analyze-plot-svg'
  | 'analyze-plot-json'
  | 'journal-json'
  | 'journal-export'
  | 'journal-text'
  | 'dmesg'
  | 'cloud-init-log'
  | 'cloud-init-dump'
  | 'kvp'
  | 'extension-event'
  | 'provision-json'
  | 'kubernetes-node'
  | 'cluster-events'
  | 'vm-start'
  | 'node-steps'
  | 'host-facts';

export interface Source {
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

/** What one input says of one boot, on that input's own clock. `merge-evidence.ts` brings several onto one clock. */
export interface Evidence {
  kind: SourceKind;
  input: string;
  /** Which clock every time below is on. userspace: µs since userspace start, as systemd-analyze prints. */
  clock: 'monotonic' | 'wall' | 'userspace';
  /** Pairs seen in the source that tie monotonic and wall time together. */
  anchors: Anchor[];
  bootId?: string;
  host?: HostFacts;
  /** Always monotonic µs. */
  manager?: ManagerTimes;
  /** On `clock`. Text pasted by people knows only part of the graph. */
  units?: Unit[];
  spans: Span[];
  milestones: Milestone[];
  notes: Note[];
}

/** At monotonic `monotonicUs` the wall clock showed a value in [wallUs, wallUs + errorUs]. */
export interface Anchor {
  monotonicUs: number;
  wallUs: number;
  errorUs: number;
}

export function evidence(fields: Pick<Evidence, 'kind' | 'input' | 'clock'> & Partial<Evidence>): Evidence {
  return { anchors: [], spans: [], milestones: [], notes: [], ...fields };
}
