// boot/load/sources/platform/claim.ts: when was a standby instance parked, claimed, thawed and woken, according to the record that its host
// keeps? While it was parked, its clocks stood still; a reading of its uptime says where.
import { type ClaimEvidence, type Evidence, evidence } from '../../../model/evidence.ts';
import type { Milestone, Note, ParkedFacts } from '../../../model/record.ts';
import { headText, type Input } from '../../input.ts';
import { boundedText } from '../bounded-text.ts';
import { parseIsoStamp } from '../logs/log-stamp.ts';
import type { EvidenceSource } from '../source.ts';
import { type ClockComparison, guestClockFrom, isTimeMs, parseClockComparison } from './two-clocks.ts';

/** What the collector adds to the host's record: the guest's boot, and one reading of each of its clocks. */
export interface ClaimReading {
  bootId?: string;
  clock: ClockComparison;
  /** The guest's uptime, read between two readings of the host's clock. */
  uptime: { uptimeMs: number; hostBeforeMs: number; hostAfterMs: number };
}

export const claimSource = {
  kind: 'claim',
  title: 'the claim of a standby instance (headstart/claim.json)',
  recognise: (input) => (/^\s*\{[\s\S]{0,200}?"kind"\s*:\s*"Claim"/.test(headText(input)) ? 1 : 0),
  parse,
} satisfies EvidenceSource;

const MAX_BYTES = 1 << 20;
/** /proc/uptime has hundredths of a second, cut off. */
const UPTIME_STEP_US = 10_000;

function parse(input: Input): Evidence[] {
  const { text, isCut } = boundedText(input, MAX_BYTES);
  const record = isCut ? undefined : readClaim(text);
  const without = (why: string, facts: Partial<Evidence> = {}): Evidence[] => [
    claimEvidence(input, { ...facts, notes: [warning(input, why)] }),
  ];
  if (!record) return without('this claim record is incomplete or has an unknown format');
  if (record === 'booted') {
    const text = `${input.name}: the instance booted when it was claimed: its times are those of a boot`;
    return [claimEvidence(input, { notes: [{ level: 'info', text }] })];
  }
  const facts = record.reading?.bootId === undefined ? {} : { bootId: record.reading.bootId };
  if (!record.reading)
    return without(
      "it has no reading of the guest's clocks, so the claim cannot be placed: collect with `headstart boot collect --instance`",
    );
  const claim = claimOf(record, record.reading);
  return typeof claim === 'string' ? without(claim, facts) : [claimEvidence(input, { ...facts, claim })];
}

type StepName = 'claimed' | 'thawed' | 'woken' | 'node-created';

interface ClaimRecord {
  pool: string;
  instance: string;
  tier: ParkedFacts['tier'];
  frozenMs: number;
  steps: Partial<Record<StepName, number>>;
  reading?: ClaimReading;
}

/** Or why there is none. */
function claimOf(record: ClaimRecord, { clock, uptime }: ClaimReading): ClaimEvidence | string {
  const { pool, instance, tier, frozenMs, steps } = record;
  const wall = guestClockFrom(clock);
  const ran = guestClockFrom({ ...uptime, guestMs: uptime.uptimeMs });
  if (!wall || !ran) return "the host's clock was set back while the guest's clocks were read: its times are ignored";
  const { claimed, thawed } = steps;
  if (claimed === undefined || thawed === undefined) return 'it does not say when the instance was claimed and thawed';
  if (thawed < claimed || claimed < frozenMs)
    return "the host's clock was set back between the freeze and the claim: its times are ignored";
  if (thawed > clock.hostBeforeMs) return 'the instance was claimed after this was collected: ignored';
  const errorUs = ran.errorUs + UPTIME_STEP_US;
  const ranUs = Math.round(ran.onGuestMs(thawed) * 1000);
  if (ranUs + errorUs <= 0) return 'the guest has restarted since it was claimed: the claim is of an earlier boot';
  const wallUs = (hostMs: number) => Math.round(wall.onGuestMs(hostMs) * 1000);
  const milestones = (Object.entries(steps) as [StepName, number][]).map(
    ([name, atMs]): Milestone => ({
      name,
      atUs: wallUs(atMs),
      source: name === 'node-created' ? 'cluster' : 'platform',
      detail: DETAILS[name],
    }),
  );
  return {
    facts: {
      pool,
      instance,
      tier,
      parkedUs: Math.round((claimed - frozenMs) * 1000),
      ranUs: Math.max(0, ranUs),
      errorUs,
    },
    parkedWallUs: wallUs(frozenMs),
    claimedWallUs: wallUs(claimed),
    thawedWallUs: wallUs(thawed),
    wallErrorUs: wall.errorUs,
    milestones,
  };
}

const DETAILS: Readonly<Record<StepName, string>> = {
  claimed: "on the host's clock",
  thawed: 'its guest continues',
  woken: 'its clock is set, its entropy is fresh, its old connections are closed',
  'node-created': 'the command created the Node object',
};

function claimEvidence(input: Input, more: Partial<Evidence>): Evidence {
  return evidence({ kind: 'claim', input: input.name, clock: 'wall', ...more });
}

function warning(input: Input, text: string): Note {
  return { level: 'warning', text: `${input.name}: ${text}` };
}

/** It was stopped, or could not continue: there is no freeze in the boot that it has now. */
const BOOTED: readonly unknown[] = ['stopped', 'cold'];

/** Undefined unless every required field is valid. */
function readClaim(text: string): ClaimRecord | 'booted' | undefined {
  const { apiVersion, kind, pool, instance, tier, frozenAt, steps, reading } = asObject(parsed(text));
  if (apiVersion !== 'headstart.dev/v1' || kind !== 'Claim') return undefined;
  if (BOOTED.includes(tier)) return 'booted';
  const frozenMs = msOf(frozenAt);
  if (frozenMs === undefined) return undefined;
  if (typeof pool !== 'string' || typeof instance !== 'string' || (tier !== 'paused' && tier !== 'frozen'))
    return undefined;
  const known: ClaimRecord['steps'] = {};
  for (const step of Array.isArray(steps) ? steps.map(asObject) : []) {
    const atMs = msOf(step.at);
    if (typeof step.name === 'string' && Object.hasOwn(DETAILS, step.name) && atMs !== undefined)
      known[step.name as StepName] ??= atMs;
  }
  const read = readingOf(reading);
  return { pool, instance, tier, frozenMs, steps: known, ...(read && { reading: read }) };
}

function readingOf(value: unknown): ClaimReading | undefined {
  const { bootId, clock, uptime } = asObject(value);
  const reading = parseClockComparison(clock);
  const { uptimeMs, hostBeforeMs, hostAfterMs } = asObject(uptime);
  if (!reading || !isTimeMs(uptimeMs) || !isTimeMs(hostBeforeMs) || !isTimeMs(hostAfterMs)) return undefined;
  const isId = typeof bootId === 'string' && /^[0-9a-f]{32}$/.test(bootId);
  return { ...(isId && { bootId }), clock: reading, uptime: { uptimeMs, hostBeforeMs, hostAfterMs } };
}

function msOf(stamp: unknown): number | undefined {
  const us = typeof stamp === 'string' ? parseIsoStamp(stamp) : undefined;
  return us === undefined || !isTimeMs(us / 1000) ? undefined : us / 1000;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function asObject(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {};
}
