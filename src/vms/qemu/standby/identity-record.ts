// vms/qemu/standby/identity-record.ts: what identified an instance when it was parked. Kept as long as the instance.
import { join } from 'node:path';
import { z } from 'zod';
import { identitySchema, type MachineIdentity } from '../../../identity/identity.ts';
import { instanceFiles } from '../home/layout.ts';
import { readHomeRecord, unlessDamaged, writeHomeRecord } from '../home/record-file.ts';

export interface KeptIdentity {
  /** On this machine's clock. */
  takenMs: number;
  identity: MachineIdentity;
}

const recordSchema: z.ZodType<KeptIdentity> = z.object({ takenMs: z.number(), identity: identitySchema });

/** Undefined also when another version of headstart wrote it: then the guest is asked again. */
export const readKeptIdentity = (folder: string): KeptIdentity | undefined =>
  unlessDamaged(() => readHomeRecord(join(folder, instanceFiles.identity), recordSchema));

export const keepIdentity = (folder: string, kept: KeptIdentity): void =>
  writeHomeRecord(join(folder, instanceFiles.identity), kept);
