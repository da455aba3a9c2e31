// boot/load/sources/platform/provision-json.ts: reads boot times and the exit code from the file that AKS node set-up writes.
// Does not copy the output and error text in it: scripts may print their secrets.

import { type Anchor, type Evidence, evidence } from '../../../model/evidence.ts';
import type { Milestone, Note, Span } from '../../../model/record.ts';
import { headText, type Input } from '../../input.ts';
import { boundedText } from '../bounded-text.ts';
import { parseDateStamp, parseIsoStamp } from '../logs/log-stamp.ts';
import type { EvidenceSource } from '../source.ts';
import { parseStartupFinished } from '../systemd/startup-finished.ts';
import { parseWallStamp } from '../systemd/wall-stamp.ts';

export const provisionJsonSource = {
  kind: 'provision-json',
  title: 'AKS provision.json',
  recognise,
  parse,
} satisfies EvidenceSource;

function recognise(input: Input): number {
  const head = headText(input);
  if (!/^\s*\{/.test(head)) return 0;
  if (/"TaskName"/i.test(head)) return 0; // an extension event has the same fields in its message
  const known = ['ExitCode', 'ExecDuration', 'KernelStartTime', 'SystemdSummary', 'CSEStartTime', 'BootDatapoints'];
  const found = known.filter((key) => head.includes(`"${key}"`)).length;
  return found >= 3 ? 0.95 : found === 2 ? 0.6 : 0;
}

/** A real file has three kilobytes of output and a few dates. */
const MAX_BYTES = 1 << 20;

function parse(input: Input): Evidence[] {
  const { text } = boundedText(input, MAX_BYTES);
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    return salvage(text, input.name);
  }
  return isObject(parsed) ? [provisionEvidence(parsed, input.name)] : [];
}

/** The node may go down while the file is written: read the complete members of a truncated file. */
function salvage(text: string, input: string): Evidence[] {
  const members: Record<string, unknown> = {};
  for (const [, key, value] of text.matchAll(/"(\w{1,64})"\s*:\s*"([^"\\]{0,4000})"/g)) members[key!] ??= value;
  if (Object.keys(members).length === 0) return [];
  const found = provisionEvidence(members, input);
  const place = text.split('\n').length;
  found.notes.push({
    level: 'warning',
    text: `${input}: truncated JSON (it ends at line ${place}); only the readable part is used`,
  });
  return [found];
}

function provisionEvidence(fields: Record<string, unknown>, input: string): Evidence {
  const points = bootPoints({ ...fields, ...(isObject(fields.BootDatapoints) && fields.BootDatapoints) }, input);
  const manager = typeof fields.SystemdSummary === 'string' ? parseStartupFinished(fields.SystemdSummary) : undefined;
  const exitCode = provisionExitCode(fields);
  const tookS = Number(fields.ExecDuration ?? Number.NaN);
  const startUs = points.milestones.find((milestone) => milestone.name === 'extension-started')?.atUs;
  const spans: Span[] = [];
  if (startUs !== undefined && Number.isFinite(tookS) && tookS >= 0) {
    spans.push({
      id: 'extension:cse',
      name: 'node set-up (CSE)',
      source: 'extension',
      startUs,
      endUs: startUs + Math.round(tookS * 1e6),
      ...(exitCode !== undefined && { result: exitCode === 0 ? ('ok' as const) : ('fail' as const) }),
      ...(exitCode !== undefined && { detail: `exit code ${exitCode}` }),
    });
  }
  const notes = [...points.notes];
  if (exitCode !== undefined && exitCode !== 0) {
    notes.push({ level: 'warning', text: `${input}: the node set-up script ended with exit code ${exitCode}` });
  }
  return evidence({
    kind: 'provision-json',
    input,
    clock: 'wall',
    host: { cloud: 'azure' },
    ...points,
    ...(manager && { manager }),
    spans,
    notes,
  });
}

/** The exit code of the script, which may differ from that of its wrapper. */
export function provisionExitCode(fields: Record<string, unknown>): number | undefined {
  const text = fields.ExitCode;
  return (typeof text === 'string' || typeof text === 'number') && /^\d{1,5}$/.test(String(text).trim())
    ? Number(text)
    : undefined;
}

const POINTS: Readonly<Record<string, readonly [Milestone['name'], Milestone['source']] | undefined>> = {
  KernelStartTime: ['kernel-start', 'kernel'],
  CloudInitLocalStartTime: ['cloud-init-activated', 'cloud-init'],
  CloudInitStartTime: undefined,
  CloudFinalStartTime: undefined,
  NetworkdStartTime: undefined,
  GuestAgentStartTime: ['guest-agent-started', 'guest-agent'],
  CSEStartTime: ['extension-started', 'extension'],
  KubeletStartTime: ['kubelet-started', 'kubelet'],
  KubeletReadyTime: ['node-ready', 'kubelet'],
};

/** Boot times as the set-up scripts record them, to the second; the message of `AKS.CSE.cse_start` has them too. */
export function bootPoints(
  fields: Record<string, unknown>,
  input: string,
): { milestones: Milestone[]; anchors: Anchor[]; notes: Note[] } {
  const milestones: Milestone[] = [];
  const notes: Note[] = [];
  for (const [field, milestone] of Object.entries(POINTS)) {
    const text = fields[field];
    if (typeof text !== 'string' || text.trim() === '') continue;
    const atUs = parseIsoStamp(text) ?? parseDateStamp(text) ?? systemctlStamp(text);
    if (atUs === undefined) {
      notes.push({ level: 'warning', text: `${input}: ${field} is not a date; ignored` });
    } else if (isUnsetDate(atUs)) {
      notes.push({
        level: 'warning',
        text: `${input}: ${field} is exactly midnight, which is what \`date\` prints for an unset property; ignored`,
      });
    } else if (milestone) {
      milestones.push({ name: milestone[0], atUs, source: milestone[1], errorUs: 1e6 });
    }
  }
  const kernelStart = milestones.find((milestone) => milestone.name === 'kernel-start');
  const anchors = kernelStart ? [{ monotonicUs: 0, wallUs: kernelStart.atUs, errorUs: 1e6 }] : [];
  return { milestones, anchors, notes };
}

/** Older set-up scripts copy the output of `systemctl show`: `Tue 2026-11-10 08:00:04 UTC`. */
function systemctlStamp(text: string): number | undefined {
  const stamp = parseWallStamp(text.trim());
  return stamp && 'wallUs' in stamp ? stamp.wallUs : undefined;
}

function isUnsetDate(us: number): boolean {
  return us % 86_400e6 === 0;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
