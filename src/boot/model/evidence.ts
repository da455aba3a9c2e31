// boot/model/evidence.ts: what does one input say of one boot? What a source makes of bytes, and a boot record is merged from.
import type { HostFacts, ManagerTimes, Milestone, Note, Span, Unit } from './record.ts';

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
