// vms/qemu/standby/claim-record.ts: when an instance was claimed, and what followed. `headstart boot` and `standby plan` read this file.
import { join } from 'node:path';
import { z } from 'zod';
import { UserError } from '../../../base/errors.ts';
import type { InstanceRef } from '../../pools.ts';
import type { Claim } from '../../standby.ts';
import { instanceFiles } from '../home/layout.ts';
import { readHomeRecord, writeHomeRecord } from '../home/record-file.ts';
import type { ParkedRecord } from './parked-record.ts';

export interface ClaimStep {
  name: 'claimed' | 'thawed' | 'woken' | 'node-created';
  /** On this machine's clock. */
  atMs: number;
}

export interface ClaimFacts {
  ref: InstanceRef;
  /** `cold`: it could not continue, so it booted like a stopped one. */
  tier: Claim['from'];
  /** Absent: the record was lost. */
  parked?: Pick<ParkedRecord, 'parkedMs'> | undefined;
  /** Without `thawed` it booted. */
  steps: readonly ClaimStep[];
}

export function writeClaim(folder: string, facts: ClaimFacts): void {
  writeHomeRecord(join(folder, instanceFiles.claim), claimRecord(facts));
}

/** On this machine's clock. */
export interface KeptClaim {
  claimedMs: number;
  /** Absent: it booted. */
  thawedMs: number | undefined;
  parkedMs: number | undefined;
}

const recordSchema = z.looseObject({
  kind: z.literal('Claim'),
  frozenAt: z.string().exactOptional(),
  steps: z.array(z.object({ name: z.string(), at: z.string() })),
});

/** Undefined also when it cannot be read: then it is not known how the instance was started. */
export function readClaim(folder: string): KeptClaim | undefined {
  const record = readUnlessDamaged(join(folder, instanceFiles.claim));
  const timeOf = (name: ClaimStep['name']) => msOf(record?.steps.find((step) => step.name === name)?.at);
  const claimedMs = timeOf('claimed');
  if (claimedMs === undefined) return undefined;
  return { claimedMs, thawedMs: timeOf('thawed'), parkedMs: msOf(record?.frozenAt) };
}

function msOf(time: string | undefined): number | undefined {
  const ms = Date.parse(time ?? '');
  return Number.isNaN(ms) ? undefined : ms;
}

function readUnlessDamaged(path: string): z.infer<typeof recordSchema> | undefined {
  try {
    return readHomeRecord(path, recordSchema);
  } catch (error) {
    if (error instanceof UserError) return undefined;
    throw error;
  }
}

export function claimRecord({ ref, tier, parked, steps }: ClaimFacts) {
  return {
    apiVersion: 'headstart.dev/v1',
    kind: 'Claim',
    pool: ref.pool.name,
    instance: ref.id,
    tier,
    ...(parked && { frozenAt: new Date(parked.parkedMs).toISOString() }),
    steps: steps.map(({ name, atMs }) => ({ name, at: new Date(atMs).toISOString() })),
    clock: 'host',
  };
}
