// local/standby-history.ts: when were the nodes of a local pool asked for, and how long did each take? From what the pool keeps on disk.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { UserError } from '../base/errors.ts';
import type { PoolRef } from '../vms/pools.ts';
import { instanceFiles } from '../vms/qemu/home/layout.ts';
import type { Guests, LocalPools, LocalStandby } from '../vms/qemu/local-provider.ts';
import { claimStepMs, readClaim } from '../vms/qemu/standby/claim-record.ts';
import { STANDBY_TIERS, type StandbyCounts, type StandbyTier } from '../vms/standby.ts';

export interface StandbyHistory {
  arrivalsMs: number[];
  readyMs: Record<StandbyTier | 'cold', number[]>;
  refillMs: Record<StandbyTier, number[]>;
  /** Of the members that are parked now. */
  sizes: { tier: StandbyTier; memoryBytes: number; diskBytes: number }[];
  /** What the pool keeps now. */
  counts?: StandbyCounts;
}

interface HistoryReader {
  pools: Pick<LocalPools, 'listInstances'>;
  guests: Pick<Guests, 'readDetails'>;
  standby: Pick<LocalStandby, 'readStandby'>;
}

export async function readStandbyHistory(provider: HistoryReader, pool: PoolRef): Promise<StandbyHistory> {
  const history: StandbyHistory = {
    arrivalsMs: [],
    readyMs: { paused: [], frozen: [], stopped: [], cold: [] },
    refillMs: { paused: [], frozen: [], stopped: [] },
    sizes: [],
  };
  for (const { ref } of await provider.pools.listInstances(pool)) {
    addInstance(history, (await provider.guests.readDetails(ref)).folder);
  }
  const state = await provider.standby.readStandby(pool);
  if (state) history.counts = state.policy.counts;
  for (const { instance, tier, parkedMs, memoryBytes, diskBytes } of state?.members ?? []) {
    if (diskBytes !== undefined) history.sizes.push({ tier, memoryBytes: memoryBytes ?? 0, diskBytes });
    const { folder } = await provider.guests.readDetails(instance);
    const createdMs = numberIn(jsonIn(folder, instanceFiles.record), 'createdMs');
    if (parkedMs !== undefined && createdMs !== undefined && parkedMs > createdMs)
      history.refillMs[tier].push(parkedMs - createdMs);
  }
  return history;
}

/** A later start is a restart: the log has only its events, which say nothing of a boot or a claim before it. */
const FIRST_START_MS = 60_000;

function addInstance(history: StandbyHistory, folder: string): void {
  const claim = claimIn(folder);
  // It was created to be parked, not when it was asked for.
  if (claim === 'damaged') return;
  const record = jsonIn(folder, instanceFiles.record);
  const createdMs = numberIn(record, 'createdMs');
  const askedMs = claim?.atMs ?? createdMs;
  if (askedMs === undefined) return;
  history.arrivalsMs.push(askedMs);
  const startedMs = numberIn(record, 'startedMs') ?? askedMs;
  if (startedMs - askedMs > FIRST_START_MS) return;
  const readyMs = readyIn(folder).find((atMs) => atMs >= askedMs);
  if (readyMs === undefined || (claim && claim.tier === undefined)) return;
  history.readyMs[claim?.tier ?? 'cold'].push(readyMs - askedMs);
}

/** Without a tier it booted instead of continuing, from a disk that had booted before: neither a new node nor one of its tier. */
function claimIn(folder: string): { tier: StandbyTier | undefined; atMs: number } | 'damaged' | undefined {
  try {
    const claim = readClaim(folder);
    if (!claim) return undefined;
    const atMs = claimStepMs(claim, 'claimed');
    return Number.isNaN(atMs) ? 'damaged' : { tier: STANDBY_TIERS.find((one) => one === claim.tier), atMs };
  } catch (error) {
    if (error instanceof UserError) return 'damaged';
    throw error;
  }
}

function readyIn(folder: string): number[] {
  return (textIn(folder, instanceFiles.clusterEvents) ?? '').split('\n').flatMap((line) => {
    const event = parsed(line) as { event?: string; atMs?: number } | undefined;
    return event?.event === 'node-ready' && typeof event.atMs === 'number' ? [event.atMs] : [];
  });
}

const numberIn = (value: unknown, key: string): number | undefined => {
  const number = (value as Record<string, unknown> | undefined)?.[key];
  return typeof number === 'number' ? number : undefined;
};

const jsonIn = (folder: string, name: string): unknown => parsed(textIn(folder, name) ?? '');

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // a line that is being written, or a file of another release: it is no measurement
  }
}

function textIn(folder: string, name: string): string | undefined {
  try {
    return readFileSync(join(folder, name), 'utf8');
  } catch {
    return undefined;
  }
}
