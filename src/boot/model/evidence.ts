// boot/model/evidence.ts: what does one input contain about one boot? Sources parse bytes into evidence; a boot record is merged from it.
import type { BootRecord, HostFacts, ManagerTimes, Milestone, Note, ParkedFacts, Span, Unit } from './record.ts';

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
  | 'claim'
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
  /** The instance was parked in this boot, and claimed later. */
  claim?: ClaimEvidence;
  /** A finished record since a claim: other evidence adds nothing to it. */
  finished?: BootRecord;
  /** About `units` alone: dropped if a complete listing of another source provides the units. */
  unitNotes?: Note[];
}

/** `facts.ranUs` is where the monotonic clock stood still. Wall times are on the guest's clock after it was woken. */
export interface ClaimEvidence {
  facts: ParkedFacts;
  parkedWallUs: number;
  claimedWallUs: number;
  thawedWallUs: number;
  /** A wall time is exact to ± this. Times of one clock comparison have the same error, so their differences are exact. */
  wallErrorUs: number;
  /** On the wall clock. */
  milestones: Milestone[];
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
