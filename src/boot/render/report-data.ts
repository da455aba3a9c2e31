// boot/render/report-data.ts: which data does the page of the HTML report get? Everything is computed before, so the page only draws.
import type { BootClock, Milestone, Note, SpanSource } from '../model/record.ts';
import type { BootGroup } from '../questions/path/boot-groups.ts';
import type { BootFinding } from '../questions/path/findings.ts';
import type { PathSegment } from '../questions/path/path-segments.ts';

/** All times are µs on the record's clock. */
export interface ReportView {
  /** The input's name as the user gave it. */
  label: string;
  host: string;
  zero: BootClock['zero'];
  wallAtZeroUs?: number;
  /** The initial time window. Later events, such as a unit restart a day later, are rows but outside this window. */
  startUs: number;
  endUs: number;
  /** The duration of the boot, and between which events. */
  totalUs: number;
  totalOf: string;
  /** The answer in one sentence. */
  sentence: string;
  /** First to last; they add up to `totalUs`. */
  segments: PathSegment[];
  findings: BootFinding[];
  /** Against the first boot of the report, on the critical path; absent for the first boot. */
  changes?: PathChange[];
  against?: Against;
  facts: Fact[];
  /** Inputs, with the format they were read as. */
  inputs: Fact[];
  milestones: ReportMilestone[];
  rows: ReportRow[];
  /** The critical path, first link first. */
  path: PathStep[];
  notes: Note[];
}

export interface ReportRow {
  id: string;
  name: string;
  source: SpanSource;
  parent?: string;
  /** Of a row without a parent. */
  group?: BootGroup;
  startUs: number;
  endUs: number;
  wait?: string;
  result?: 'warn' | 'fail';
  detail?: string;
  /** Indexes of the rows it is ordered after; the row that ended last comes first. */
  after?: number[];
}

export interface Fact {
  name: string;
  value: string;
}

export interface ReportPhase {
  name: string;
  source: SpanSource;
  startUs: number;
  endUs: number;
  wait?: string;
}

/** `text` and `because` make one sentence, without its full stop. */
export interface Against {
  text: string;
  because: string;
}

/** A change on the critical path of one of the boots. */
export interface PathChange {
  id: string;
  name: string;
  change: string;
  beforeUs?: number;
  afterUs?: number;
  /** Contribution to the difference of the totals. */
  explainsUs: number;
  /** As a fraction of the difference; absent if the totals hardly differ. */
  share?: number;
}

export type ReportMilestone = Pick<Milestone, 'name' | 'atUs' | 'errorUs' | 'detail'>;

export interface PathStep {
  id: string;
  name: string;
  source: SpanSource;
  startUs: number;
  endUs: number;
  /** Between the end of the previous step and the start of this one. */
  gapUs: number;
}
