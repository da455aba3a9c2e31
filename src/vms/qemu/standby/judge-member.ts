// vms/qemu/standby/judge-member.ts: can a parked instance be claimed, and should it be replaced? Pure.
import { formatSpan } from '../../../base/duration.ts';
import type { StandbyTier } from '../../standby.ts';
import type { MachineState } from '../machine/machines.ts';
import type { ParkedRecord } from './parked-record.ts';

export interface MemberFacts {
  tier: StandbyTier;
  state: 'preparing' | 'parked';
  machine: MachineState;
  /** Undefined: the file is missing. */
  parked: ParkedRecord | undefined;
}

/** What the pool makes new instances from, and its policy. */
export interface PoolFacts {
  image: string;
  modelRevision: number;
  document: string;
  maxAgeMs: number;
  nowMs: number;
}

export interface Judgement {
  /** `use`: claim it. `refresh`: it can be claimed, and is replaced when there is time. `discard`: it cannot be used. */
  verdict: 'use' | 'refresh' | 'discard';
  why: string;
}

/** A certificate that ends soon would end while the node serves, before kubelet has renewed it. */
export const CERTIFICATE_MARGIN_MS = 10 * 60_000;

export function judgeMember({ tier, state, machine, parked }: MemberFacts, pool: PoolFacts): Judgement {
  const discard = (why: string): Judgement => ({ verdict: 'discard', why });
  if (state === 'preparing') return discard('its preparation was interrupted');
  if (!parked) return discard('its record of being parked is missing');
  if (tier === 'paused' && machine !== 'paused') return discard(`its process is ${machine}, not paused`);
  if (tier !== 'paused' && machine !== 'off') return discard(`its process is ${machine}, expected none`);
  const leftMs = (parked.certificateEndMs ?? Number.POSITIVE_INFINITY) - pool.nowMs;
  // A stopped instance boots, and gets a new credential then.
  if (tier !== 'stopped' && leftMs < CERTIFICATE_MARGIN_MS)
    return discard('its certificate has expired or is about to');
  if (parked.image !== pool.image) return discard(`it was made from ${parked.image}`);
  if (parked.modelRevision !== pool.modelRevision)
    return discard("it was made from the pool's model before the last change");
  const ageMs = pool.nowMs - parked.parkedMs;
  const age = formatSpan(Math.max(0, Math.round(ageMs / 1000)) * 1e6);
  if (ageMs > pool.maxAgeMs) return discard(`it was parked ${age} ago, longer than the policy allows`);
  if (parked.document !== pool.document)
    return { verdict: 'refresh', why: 'its document has changed since; a claim applies the new one first' };
  const lifeMs = (parked.certificateEndMs ?? Number.POSITIVE_INFINITY) - parked.bootedMs;
  if (leftMs < lifeMs / 3) return { verdict: 'refresh', why: 'a third of the life of its certificate is left' };
  return { verdict: 'use', why: `parked ${age} ago` };
}
