// vms/qemu/home/records.ts: what is written down about pools, instances, versions and snapshots? The shapes of our files, and nothing else.
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
/** base64 as clouds take it: padded, no line breaks. */
const base64 = z.base64();

export const extensionSchema: z.ZodType<LocalExtension> = z.object({
  // It becomes part of a unit's and a file's name inside the guest.
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
      // What a host name or an address is made of; it ends up in a command line.
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

const poolSchema = z.object({
  /** Counts every change of the pool: its etag. */
  revision: z.int(),
  /** Counts the changes of the model alone: instances remember theirs. */
  modelRevision: z.int(),
  /** Never used twice, so that no new instance is taken for one that is gone. */
  nextInstance: z.int(),
  traits: z.object(traits),
  spec: specSchema,
});
export type PoolRecord = z.infer<typeof poolSchema>;
export const poolRecordSchema: z.ZodType<PoolRecord> = poolSchema;

const instanceSchema = z.object({
  id: z.string(),
  vmId: z.guid(),
  image: z.object({ kind: z.literal('version'), id: z.string() }),
  modelRevision: z.int(),
  /** What was asked for; whether a process is there is looked at. */
  wanted: z.enum(['running', 'stopped', 'deallocated']),
  protection: z.object({ fromScaleIn: z.boolean(), fromPoolActions: z.boolean() }),
  tags,
  userData: base64.exactOptional(),
  address: z.ipv4(),
  mac: z.string(),
  /** The disk is still the one of another image: it has to be made anew before a start. */
  isBlank: z.boolean(),
  size: z.object({ cpus: z.int(), memoryMb: z.int(), diskGb: z.int() }),
  extensions: z.array(z.object({ extension: extensionSchema, state: z.enum(['waiting', 'begun', 'done']) })),
  createdMs: z.number(),
  /** Until QEMU ran for the first time: whoever scales the pool next starts it. */
  isNew: z.boolean(),
  startedMs: z.number().exactOptional(),
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
// Words of a kernel's command line: none can bring another with it.
const word = z.string().regex(/^[\x21-\x7e]{1,200}$/, 'is not one word of plain text');
/** How it is started, where that is not as base images are: the kernel beside a disk that is one file system. */
const boot = {
  /** off: nothing in the image needs it, and the host name comes with the kernel's command line. */
  cloudInit: z.enum(['on', 'off']),
  /** `PARTUUID=…`: a partition of the disk. */
  root: word.exactOptional(),
  /** Besides those that pools of this machine give. */
  kernelArgs: z.array(word).exactOptional(),
  /** What starts a disk that has no kernel beside it; without it, the BIOS that QEMU has. */
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
  /** The version below it: kept as long as the snapshot is there. */
  backing: z.string(),
  ...boot,
  createdMs: z.number(),
  tags,
});
export type SnapshotRecord = z.infer<typeof snapshotSchema>;
export const snapshotRecordSchema: z.ZodType<SnapshotRecord> = snapshotSchema;

const bootSchema = z.object(boot);
export type BootFacts = z.infer<typeof bootSchema>;

/** Of all that is known of something: how it is started, and nothing else. Throws `Refused` when a kernel could not be told so. */
export function bootFactsOf(known: BootFacts): BootFacts {
  const { success, data, error } = bootSchema.safeParse(known);
  if (success) return data;
  const problems = error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`);
  throw new Refused(`an image cannot be started like this: ${problems.join('; ')}`, 'vms/bad-boot-facts');
}

/** Without the script: what every provider tells of an extension. */
export function toExtension({ name, publisher, type, after }: LocalExtension): Extension {
  return { name, publisher, type, after };
}
