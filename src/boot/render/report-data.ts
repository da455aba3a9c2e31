// boot/render/report-data.ts: which data does the page of the HTML report get? Everything it draws, and nothing it must work out.
import type { BootClock, Milestone, Note, SpanSource } from '../model/record.ts';

/** All times are µs on the record's clock. */
export interface ReportView {
  /** As the user named the input. */
  label: string;
  host: string;
  zero: BootClock['zero'];
  wallAtZeroUs?: number;
  /** What the first look covers; a unit restarted a day later is a row, but does not squeeze the boot into a pixel. */
  startUs: number;
  endUs: number;
  /** The headline: how long the boot took, and from where to where that is. */
  totalUs: number;
  totalOf: string;
  /** Of the total, blocked on something outside the node. */
  waitUs: number;
  facts: Fact[];
  /** What was read, and what it was taken for. */
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
  /** Ordered after these rows (by index), the one that was ready last first. */
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
  /** Between the end of the step before and this one's start. */
  gapUs: number;
}
