// vms/qemu/home/records.ts: the schemas of the files that describe pools, instances, versions and snapshots.
import { z } from 'zod';
import { Refused } from '../../../base/failures.ts';
import type { Definition } from '../../gallery.ts';
import type { Extension } from '../../pools.ts';
import type { LocalExtension, PoolSpec } from '../local-provider.ts';

const tags = z.record(z.string(), z.string());
const image = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('version'), id: z.string() }),
  z.object({ kind: z.literal('definition'), id: z.string() }),
]);
const traits = {
  osState: z.enum(['generalized', 'specialized']),
  generation: z.enum(['V1', 'V2']),
  architecture: z.enum(['x64', 'Arm64']),
  securityType: z.enum(['Standard', 'TrustedLaunch', 'ConfidentialVM']),
};
const plan = z.object({ name: z.string(), product: z.string(), publisher: z.string() });
/** Padded, no line breaks, as Azure requires. */
const base64 = z.base64();

export const extensionSchema: z.ZodType<LocalExtension> = z.object({
  // The name becomes part of a unit name and a file name in the guest.
  name: z
    .string()
    .regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/, 'letters, digits, dots, dashes and underscores, at most 64'),
  publisher: z.string(),
  type: z.string(),
  after: z.array(z.string()),
  script: z.string(),
});

const wholeNumber = (least: number, most: number) => z.int().min(least).max(most);
const port = wholeNumber(1, 65535);

export const specSchema = z.object({
  name: z.string(),
  image,
  customData: base64.exactOptional(),
  userData: base64.exactOptional(),
  extensions: z.array(extensionSchema),
  size: z.object({ cpus: wholeNumber(1, 64), memoryMb: wholeNumber(16, 1 << 20), diskGb: wholeNumber(1, 1 << 14) }),
  services: z.array(
    z.object({
      address: z.ipv4(),
      port,
      // Only characters of host names and addresses: it becomes part of a command line.
      to: z.object({ host: z.string().regex(/^[A-Za-z0-9.:_-]{1,253}$/, 'is not a host name or an address'), port }),
    }),
  ),
  readyUnit: z
    .string()
    .regex(/^[A-Za-z0-9:_.@\\-]{1,255}$/, 'is not the name of a unit')
    .exactOptional(),
  cluster: z
    .string()
    .regex(/^[a-z0-9](?:[a-z0-9-]{0,48}[a-z0-9])?$/, 'is not the name of a cluster')
    .exactOptional(),
  tags,
}) satisfies z.ZodType<PoolSpec>;

const tier = z.enum(['paused', 'frozen', 'stopped']);
const count = wholeNumber(0, 100);

const poolSchema = z.object({
  /** Counts every change of the pool; it is the pool's etag. */
  revision: z.int(),
  /** Counts model changes; each instance records the revision it was made from. */
  modelRevision: z.int(),
  /** Never reused, so that a new instance is not mistaken for a deleted one. */
  nextInstance: z.int(),
  traits: z.object(traits),
  spec: specSchema,
  /** Which standby instances the pool keeps; absent: none. */
  standby: z
    .object({
      counts: z.object({ paused: count, frozen: count, stopped: count }),
      maxAgeMs: z.number().positive().exactOptional(),
    })
    .exactOptional(),
});
export type PoolRecord = z.infer<typeof poolSchema>;
export const poolRecordSchema: z.ZodType<PoolRecord> = poolSchema;

const instanceSchema = z.object({
  id: z.string(),
  vmId: z.guid(),
  image: z.object({ kind: z.literal('version'), id: z.string() }),
  modelRevision: z.int(),
  /** The requested power state; whether QEMU runs is read from the process table. */
  wanted: z.enum(['running', 'stopped', 'deallocated']),
  protection: z.object({ fromScaleIn: z.boolean(), fromPoolActions: z.boolean() }),
  tags,
  userData: base64.exactOptional(),
  address: z.ipv4(),
  mac: z.string(),
  /** The disk is from an earlier image and must be replaced before the next start. */
  isBlank: z.boolean(),
  size: z.object({ cpus: z.int(), memoryMb: z.int(), diskGb: z.int() }),
  extensions: z.array(z.object({ extension: extensionSchema, state: z.enum(['waiting', 'begun', 'done']) })),
  createdMs: z.number(),
  /** True until QEMU has run once; the next scaling command starts the instance. */
  isNew: z.boolean(),
  startedMs: z.number().exactOptional(),
  /** Present until the instance is claimed: it does not count as an instance of the pool. `preparing`: discard it if its command died. */
  standby: z.object({ tier, state: z.enum(['preparing', 'parked']) }).exactOptional(),
  /** A claimed instance that has not continued yet. `running`: its guest may have run, so its frozen memory is not used again. */
  resume: z.object({ tier, phase: z.enum(['parked', 'running']) }).exactOptional(),
});
export type InstanceRecord = z.infer<typeof instanceSchema>;
export const instanceRecordSchema: z.ZodType<InstanceRecord> = instanceSchema;

export const definitionSchema: z.ZodType<Definition> = z.object({
  id: z.string(),
  gallery: z.string(),
  name: z.string(),
  ...traits,
  plan: plan.exactOptional(),
  publisher: z.string(),
  offer: z.string(),
  sku: z.string(),
});

const fileSum = z.object({ bytes: z.number(), sha256: z.string() });
// One word of the kernel's command line: without blanks, it cannot add another.
const word = z.string().regex(/^[\x21-\x7e]{1,200}$/, 'is not one word of plain text');
/** How the image boots. Default, as for base images: kernel and initrd files next to a disk that is one file system. */
const boot = {
  /** `off`: the image does not need cloud-init, and the host name is set on the kernel's command line. */
  cloudInit: z.enum(['on', 'off']),
  /** `PARTUUID=…` of the root partition. */
  root: word.exactOptional(),
  /** In addition to those that every local pool sets. */
  kernelArgs: z.array(word).exactOptional(),
  /** Firmware for a disk without kernel files. Default: QEMU's BIOS. */
  firmware: z.literal('uefi').exactOptional(),
};
const versionSchema = z.object({
  name: z.string(),
  createdMs: z.number(),
  isExcludedFromLatest: z.boolean(),
  replicas: z.int(),
  redundancy: z.enum(['zone', 'local']),
  diskBytes: z.number(),
  tags,
  ...boot,
  files: z.object({ disk: fileSum, vmlinux: fileSum.exactOptional(), initrd: fileSum.exactOptional() }),
});
export type VersionRecord = z.infer<typeof versionSchema>;
export const versionRecordSchema: z.ZodType<VersionRecord> = versionSchema;

const snapshotSchema = z.object({
  name: z.string(),
  sourceDiskId: z.string(),
  /** The version that the overlay is based on; it cannot be deleted while the snapshot exists. */
  backing: z.string(),
  ...boot,
  createdMs: z.number(),
  tags,
});
export type SnapshotRecord = z.infer<typeof snapshotSchema>;
export const snapshotRecordSchema: z.ZodType<SnapshotRecord> = snapshotSchema;

const bootSchema = z.object(boot);
export type BootFacts = z.infer<typeof bootSchema>;

/** Picks the boot fields of a record. Throws `Refused` when they are invalid. */
export function bootFactsOf(known: BootFacts): BootFacts {
  const { success, data, error } = bootSchema.safeParse(known);
  if (success) return data;
  const problems = error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`);
  throw new Refused(`the image's boot settings are invalid: ${problems.join('; ')}`, 'vms/bad-boot-facts');
}

/** Omits the script. */
export function toExtension({ name, publisher, type, after }: LocalExtension): Extension {
  return { name, publisher, type, after };
}
