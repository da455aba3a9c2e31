// vms/qemu/standby/judge-member.ts: can a parked instance be claimed, and should it be replaced? Pure.
import { formatSpan } from '../../../base/duration.ts';
import type { StandbyTier } from '../../standby.ts';
import type { MachineState } from '../machine/machines.ts';
import type { ParkedRecord } from './parked-record.ts';

export interface MemberFacts {
  tier: StandbyTier;
  state: 'preparing' | 'parked';
  machine: MachineState;
  /** Undefined: the file is missing, or cannot be read. */
  parked: ParkedRecord | undefined;
}

/** What the pool makes new instances from, and its policy. */
export interface PoolFacts {
  image: string;
  modelRevision: number;
  document: string;
  /** Where a process that is launched now connects to for the API server; absent: not known, or no cluster. */
  apiServer?: ApiServer | undefined;
  maxAgeMs: number;
  nowMs: number;
}

export interface Judgement {
  /** `use`: claim it. `refresh`: it can be claimed, and is replaced when there is time. `discard`: it cannot be used. */
  verdict: 'use' | 'refresh' | 'discard';
  why: string;
}

type ApiServer = NonNullable<ParkedRecord['apiServer']>;

/** A certificate that ends soon would end while the node serves, before kubelet has renewed it. */
export const CERTIFICATE_MARGIN_MS = 10 * 60_000;

/** NTP corrects the clock by less. After a larger step the age is unknown, and the instance could be kept for ever. */
const CLOCK_STEP_MS = 60_000;

export function judgeMember({ tier, state, machine, parked }: MemberFacts, pool: PoolFacts): Judgement {
  const discard = (why: string): Judgement => ({ verdict: 'discard', why });
  if (state === 'preparing') return discard('its preparation was interrupted');
  if (!parked) return discard('its record of being parked is missing or cannot be read');
  if (tier === 'paused' && machine !== 'paused') return discard(`its process is ${machine}, not paused`);
  if (tier !== 'paused' && machine !== 'off') return discard(`its process is ${machine}, expected none`);
  const certificate = whyNotCertified(parked, pool.nowMs);
  if (certificate !== undefined) return discard(certificate);
  if (parked.parkedMs > pool.nowMs + CLOCK_STEP_MS)
    return discard("it was parked at a time that is still to come: this machine's clock was set back");
  if (isElsewhere(parked, pool.apiServer)) return discard(API_SERVER_MOVED);
  if (parked.image !== pool.image) return discard(`it was made from ${parked.image}`);
  if (parked.modelRevision !== pool.modelRevision)
    return discard("it was made from the pool's model before the last change");
  const ageMs = pool.nowMs - parked.parkedMs;
  const age = formatSpan(Math.max(0, Math.round(ageMs / 1000)) * 1e6);
  if (ageMs > pool.maxAgeMs) return discard(`it was parked ${age} ago, longer than the policy allows`);
  if (parked.document !== pool.document)
    return { verdict: 'refresh', why: 'its document has changed since; a claim applies the new one first' };
  const leftMs = (parked.certificateEndMs ?? Number.POSITIVE_INFINITY) - pool.nowMs;
  const lifeMs = (parked.certificateEndMs ?? Number.POSITIVE_INFINITY) - parked.bootedMs;
  if (leftMs < lifeMs / 3) return { verdict: 'refresh', why: 'a third of the life of its certificate is left' };
  return { verdict: 'use', why: `parked ${age} ago` };
}

export const API_SERVER_MOVED = 'the API server has moved, and its process still connects to the former port';

/** A paused process keeps the addresses that it was launched with; the others are launched again. */
export function isElsewhere({ tier, apiServer }: Pick<ParkedRecord, 'tier' | 'apiServer'>, now: ApiServer | undefined) {
  return tier === 'paused' && now !== undefined && (apiServer?.host !== now.host || apiServer.port !== now.port);
}

/** Undefined: the API server accepts kubelet's certificate, for the next minutes at least. */
export function whyNotCertified(
  { tier, certificateStartMs = 0, certificateEndMs = Number.POSITIVE_INFINITY }: ParkedRecord,
  nowMs: number,
): string | undefined {
  if (nowMs < certificateStartMs) return "its certificate is not valid yet: this machine's clock was set back";
  // A stopped instance boots, and gets a new credential then.
  if (tier !== 'stopped' && certificateEndMs < nowMs + CERTIFICATE_MARGIN_MS)
    return 'its certificate has expired or is about to';
  return undefined;
}
