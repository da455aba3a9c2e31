// boot/model/evidence.ts: what does one input contain about one boot? Sources parse bytes into evidence; a boot record is merged from it.
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
  | 'console-log'
  | 'cloud-init-log'
  | 'cloud-init-dump'
  | 'cloud-init-output'
  | 'kvp'
  | 'extension-event'
  | 'provision-json'
  | 'nodeadm-log'
  | 'kubernetes-node'
  | 'kubernetes-events'
  | 'node-claim'
  | 'kubelet-metrics'
  | 'cluster-events'
  | 'vm-start'
  | 'node-steps'
  | 'host-facts';

/** Times are on the input's own clock. `merge-evidence.ts` moves several pieces of evidence to one clock. */
export interface Evidence {
  kind: SourceKind;
  input: string;
  /** The clock of all times below except `manager`. userspace: µs since userspace start, as systemd-analyze prints. */
  clock: 'monotonic' | 'wall' | 'userspace';
  /** Pairs of monotonic and wall time found in the input. */
  anchors: Anchor[];
  bootId?: string;
  /** What the document calls this boot, if it contains several without ids. */
  name?: string;
  host?: HostFacts;
  /** Always monotonic µs. */
  manager?: ManagerTimes;
  /** On `clock`. Pasted text contains only part of the graph. */
  units?: Unit[];
  spans: Span[];
  milestones: Milestone[];
  /** In an input on another clock: what is known in monotonic µs, because the line itself has the uptime. */
  monotonic?: { spans: Span[]; milestones: Milestone[] };
  notes: Note[];
  /** About `units` alone: dropped if a complete listing of another source provides the units. */
  unitNotes?: Note[];
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
