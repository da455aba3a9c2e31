// boot/compat/cloud-init/read/pick-log.ts: which of several inputs are cloud-init logs, and in which order are rotated logs?
import type { Input } from '../../../load/input.ts';
import { type LogStamp, MARKERS, parseLogLine, type ResolveStamp } from './log-line.ts';
import { looksLikeDump, looksLikeLog } from './recognise.ts';
import { linesWith } from './scan.ts';

export interface CloudInitInput {
  kind: 'log' | 'dump';
  input: Input;
}

/** All logs joined, oldest first; else the last dump; undefined without either. */
export function pickLog(inputs: readonly Input[]): CloudInitInput | undefined {
  const logs = inputs.filter((input) => looksLikeLog(input.head) >= 0.5);
  if (logs.length > 0) return { kind: 'log', input: joinLogs(distinct(logs)) };
  const dump = inputs.filter((input) => looksLikeDump(input.head) > 0).at(-1);
  return dump && { kind: 'dump', input: dump };
}

/** A bundle may contain the same log twice (collected and archived): keep one copy. */
function distinct(logs: readonly Input[]): Input[] {
  const kept: Input[] = [];
  for (const log of logs) {
    if (!kept.some((other) => Buffer.compare(other.head, log.head) === 0)) kept.push(log);
  }
  return kept;
}

export function joinLogs(logs: readonly Input[]): Input {
  if (logs.length === 1) return logs[0]!;
  const ordered = logs
    .map((log) => ({ log, from: firstStamp(log) }))
    .sort((a, b) => (a.from < b.from ? -1 : a.from > b.from ? 1 : 0))
    .map(({ log }) => log);
  return {
    name: ordered.map((log) => log.name).join(' + '),
    head: ordered[0]!.head,
    chunks: () => chunksOf(ordered),
    bytes: () => Buffer.concat([...chunksOf(ordered)]),
  };
}

function* chunksOf(logs: readonly Input[]): Generator<Uint8Array> {
  for (const log of logs) {
    let last = 0x0a;
    for (const chunk of log.chunks()) {
      last = chunk.at(-1) ?? last;
      yield chunk;
    }
    if (last !== 0x0a) yield new Uint8Array([0x0a]);
  }
}

/** Not an exact time: only used to sort the rotated files of one machine. */
function firstStamp(log: Input): number {
  const when: ResolveStamp = (stamp, _kind, clockUs) =>
    clockUs ?? (stamp.kind === 'none' ? undefined : sortable(stamp));
  for (const { text } of linesWith(log, MARKERS)) {
    const event = parseLogLine(text, when);
    if (event) return event.atUs;
  }
  return Number.POSITIVE_INFINITY;
}

function sortable(stamp: Exclude<LogStamp, { kind: 'none' }>): number {
  return stamp.kind === 'yearless' ? Date.UTC(2000, stamp.month - 1, stamp.day) * 1000 + stamp.dayUs : stamp.us;
}
