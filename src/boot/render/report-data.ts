// boot/render/report-data.ts: which data does the page of the HTML report get? Everything is computed before, so the page only draws.
import type { BootClock, Milestone, Note, SpanSource } from '../model/record.ts';

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
  /** The part of the total in which the node was blocked on something outside it. */
  waitUs: number;
  facts: Fact[];
  /** Inputs, with the format they were read as. */
  inputs: Fact[];
  phases: ReportPhase[];
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
