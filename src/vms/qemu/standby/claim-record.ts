// vms/qemu/standby/claim-record.ts: when an instance was claimed, and what followed. `headstart boot` and `standby plan` read this file.
import { join } from 'node:path';
import { z } from 'zod';
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

/** Only what this program reads is checked. */
const claimSchema = z.looseObject({
  kind: z.literal('Claim'),
  tier: z.string().exactOptional(),
  steps: z.array(z.object({ name: z.string(), at: z.string() })),
});
export type WrittenClaim = z.infer<typeof claimSchema>;

/** Undefined when it was never claimed. Throws UserError for a record that is damaged. */
export const readClaim = (folder: string): WrittenClaim | undefined =>
  readHomeRecord(join(folder, instanceFiles.claim), claimSchema);

/** NaN when the record has no such step. */
export const claimStepMs = ({ steps }: WrittenClaim, name: ClaimStep['name']): number =>
  Date.parse(steps.find((step) => step.name === name)?.at ?? '');

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
