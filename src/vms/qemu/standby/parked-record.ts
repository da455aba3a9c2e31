// vms/qemu/standby/parked-record.ts: how an instance was parked, and whether its files are still as they were then.
import { lstat } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { checksumFile } from '../../../host/file-sum.ts';
import { instanceFiles } from '../home/layout.ts';
import { readHomeRecord, unlessDamaged, writeHomeRecord } from '../home/record-file.ts';

/** A change of a file changes its stamp, so the slow checksum is needed only when the stamp differs, as after a copy. */
const fileSchema = z.strictObject({ sha256: z.string(), bytes: z.number(), stamp: z.string() });
/** A time that a Date can have: the record of a claim has it as text. */
const timeMsSchema = z.number().min(0).max(8.64e15);
/** Strict: a newer headstart may write down something that makes the files useless to this one. */
const parkedSchema = z.strictObject({
  tier: z.enum(['paused', 'frozen', 'stopped']),
  parkedMs: timeMsSchema,
  bootedMs: timeMsSchema,
  /** QEMU's build, and the machine's processors, memory and devices: a frozen guest continues only on the same machine. */
  qemu: z.string(),
  shape: z.array(z.string()),
  image: z.string(),
  modelRevision: z.int(),
  kernel: z.string(),
  /** sha256 of the user data. */
  document: z.string(),
  /** From when and until when kubelet's client certificate is valid; absent: it has none. */
  certificateStartMs: timeMsSchema.exactOptional(),
  certificateEndMs: timeMsSchema.exactOptional(),
  /** Where the process connects to for the guest; a paused one cannot be given another address. Absent: it has no cluster. */
  apiServer: z.strictObject({ host: z.string(), port: z.int() }).exactOptional(),
  /** What its cluster needs to create its Node again; stored, not read. Absent: it has no cluster. */
  node: z.unknown().optional(),
  files: z.record(z.string(), fileSchema),
});
export type ParkedRecord = z.infer<typeof parkedSchema>;
const recordSchema: z.ZodType<ParkedRecord> = parkedSchema;

/** Undefined also when it is damaged or of another version: one instance must not keep the others of its pool from being claimed. */
export const readParked = (folder: string): ParkedRecord | undefined =>
  unlessDamaged(() => readHomeRecord(join(folder, instanceFiles.parked), recordSchema));

export const writeParked = (folder: string, record: ParkedRecord) =>
  writeHomeRecord(join(folder, instanceFiles.parked), record);

export const FROZEN_FILES = [instanceFiles.memory, instanceFiles.devices, instanceFiles.disk] as const;

export async function sumFiles(folder: string, signal?: AbortSignal): Promise<ParkedRecord['files']> {
  const sums = FROZEN_FILES.map(async (name) => {
    const file = join(folder, name);
    const stamp = await stampOf(file);
    return [name, { ...(await checksumFile(file, signal)), stamp: stamp ?? '' }] as const;
  });
  return Object.fromEntries(await Promise.all(sums));
}

/** The name of the first file that is not as it was frozen. */
export async function changedFile(
  folder: string,
  files: ParkedRecord['files'],
  signal?: AbortSignal,
): Promise<string | undefined> {
  for (const name of FROZEN_FILES) {
    const frozen = files[name];
    const stamp = await stampOf(join(folder, name));
    if (!frozen || stamp === undefined) return name;
    if (stamp !== frozen.stamp && (await checksumFile(join(folder, name), signal)).sha256 !== frozen.sha256)
      return name;
  }
  return undefined;
}

/** Undefined: it is not a file; a link is not followed. The kernel sets the change time; a program cannot choose it. */
async function stampOf(file: string): Promise<string | undefined> {
  try {
    const seen = await lstat(file, { bigint: true });
    const { dev, ino, size, mtimeNs, ctimeNs } = seen;
    if (!seen.isFile()) return undefined;
    return [dev, ino, size, mtimeNs, ctimeNs].join(' ');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
