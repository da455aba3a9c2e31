// vms/standby.ts: contract for standby nodes: instances that a pool prepares in advance and parks until they are claimed. standby.suite.ts checks it.
import type { CallOptions } from '../base/call-options.ts';
import type { Instance, InstanceRef, PoolRef } from './pools.ts';

/**
 * How an instance is parked. `paused`: it keeps its memory and stays on (Azure: Running). `frozen`: its memory is in a file
 * (Azure: Hibernated). `stopped`: only its disk is kept (Azure: Deallocated).
 */
export type StandbyTier = 'paused' | 'frozen' | 'stopped';

/** Fastest to claim first. */
export const STANDBY_TIERS: readonly StandbyTier[] = ['paused', 'frozen', 'stopped'];

export type StandbyCounts = Readonly<Record<StandbyTier, number>>;

export interface StandbyPolicy {
  /** How many parked instances of each tier the pool keeps. All 0: none, and the policy stays. */
  counts: StandbyCounts;
  /** A parked instance older than this is replaced. Absent: the provider's default; Azure has none. */
  maxAgeMs?: number;
}

export interface StandbyMember {
  instance: InstanceRef;
  tier: StandbyTier;
  /**
   * Only `ready` members can be claimed. `broken`: the provider replaces it. Azure does not document that it does, so there it may stay,
   * and count as kept, until someone deletes its VM.
   */
  state: 'preparing' | 'ready' | 'broken';
  /** Why it is kept, or why it cannot be claimed; a short phrase. */
  why: string;
  /** When it was parked, where the provider knows. */
  parkedMs?: number;
  /** What it takes of the machine that it is on, without what it shares; absent: unknown, or someone else's machine. */
  diskBytes?: number;
  memoryBytes?: number;
}

export interface StandbyState {
  policy: StandbyPolicy;
  members: StandbyMember[];
  /** Why the provider cannot keep the pool full; absent when it can. */
  trouble?: string;
}

export interface Claim {
  instance: Instance;
  /** `cold`: no parked instance could be used, so a new one was made. */
  from: StandbyTier | 'cold';
  /** Why no parked instance, or not one of a faster tier, was used. */
  why?: string;
}

const CLAIM_ORDER: readonly Claim['from'][] = [...STANDBY_TIERS, 'cold'];

/** For `sort`: the order in which a claim returns its instances. */
export function fastestFirst(a: Pick<Claim, 'from'>, b: Pick<Claim, 'from'>): number {
  return CLAIM_ORDER.indexOf(a.from) - CLAIM_ORDER.indexOf(b.from);
}

export interface SetStandbyOptions extends CallOptions {
  /**
   * What the pool kept when the change was decided; undefined: nothing. Local pools throw `Conflict` when it keeps something else now. Azure
   * has no such condition, and the last change counts.
   */
  from?: StandbyPolicy | undefined;
}

export interface ClaimOptions extends CallOptions {
  /** Nothing is prepared in place of what is claimed, until the next refill. Throws `Refused` where the platform always refills. */
  leaveEmpty?: boolean;
}

/**
 * Members are not counted in the pool's capacity and not listed as its instances until they are claimed. Every method throws
 * `NotFound` when the pool does not exist, and is safe to repeat except `claim`.
 */
export interface Standby {
  /** Undefined until a policy is set, and after it was deleted. */
  readStandby(pool: PoolRef, options?: CallOptions): Promise<StandbyState | undefined>;
  /** Records what the pool keeps; preparing the instances takes longer. Throws `Refused` when the pool cannot have such instances or counts. */
  setStandby(pool: PoolRef, policy: StandbyPolicy, options?: SetStandbyOptions): Promise<void>;
  /** Deletes the members too. Succeeds when there are none. */
  deleteStandby(pool: PoolRef, options?: CallOptions): Promise<void>;
  /**
   * Adds `count` instances to the pool, and returns them with the fastest tier first and cold ones last. They are started, not yet Ready.
   * Throws `Refused` when `count` is not a whole number, 1 or more.
   */
  claim(pool: PoolRef, count: number, options?: ClaimOptions): Promise<Claim[]>;
}
