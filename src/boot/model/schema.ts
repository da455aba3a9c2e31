// boot/model/schema.ts: the published schema of a boot record, checked when a record is read from a file.
import { z } from 'zod';
import { type BootRecord, MILESTONE_NAMES } from './record.ts';

const us = z.number();
const names = z.array(z.string());

const host = z.object({
  hostname: z.string().optional(),
  machineId: z.string().optional(),
  vmId: z.string().optional(),
  os: z.string().optional(),
  kernel: z.string().optional(),
  kernelBuild: z.string().optional(),
  architecture: z.string().optional(),
  virtualization: z.string().optional(),
  systemdVersion: z.string().optional(),
  cloudInitVersion: z.string().optional(),
  cloud: z.string().optional(),
  nodeName: z.string().optional(),
  kubeletVersion: z.string().optional(),
});

const manager = z.object({
  firmwareUs: us,
  loaderUs: us,
  kernelUs: us,
  initrdUs: us,
  userspaceUs: us,
  finishUs: us,
  securityStartUs: us,
  securityFinishUs: us,
  generatorsStartUs: us,
  generatorsFinishUs: us,
  unitsLoadStartUs: us,
  unitsLoadFinishUs: us,
  initrdSecurityStartUs: us,
  initrdSecurityFinishUs: us,
  initrdGeneratorsStartUs: us,
  initrdGeneratorsFinishUs: us,
  initrdUnitsLoadStartUs: us,
  initrdUnitsLoadFinishUs: us,
  shutdownStartUs: us,
  softRebootsCount: z.number(),
  previousShutdown: z.object({ startUs: us, finishUs: us, lateStartUs: us, lateFinishUs: us }).optional(),
});

const unit = z.object({
  name: z.string(),
  aliases: names.optional(),
  description: z.string().optional(),
  serviceType: z.string().optional(),
  loadState: z.string().optional(),
  activeState: z.string().optional(),
  result: z.string().optional(),
  conditionFailed: z.boolean().optional(),
  isStartUnknown: z.boolean().optional(),
  activatingUs: us,
  activatedUs: us,
  deactivatingUs: us,
  deactivatedUs: us,
  after: names,
  before: names.optional(),
  requires: names.optional(),
  requisite: names.optional(),
  bindsTo: names.optional(),
  wants: names.optional(),
  conflicts: names.optional(),
  upholds: names.optional(),
  triggeredBy: names.optional(),
  triggers: names.optional(),
  jobTimeoutUs: us.optional(),
  used: z
    .object({
      cpuUs: us.optional(),
      readBytes: z.number().optional(),
      writtenBytes: z.number().optional(),
      peakMemoryBytes: z.number().optional(),
    })
    .optional(),
});

const source = z.enum([
  'platform',
  'firmware',
  'loader',
  'kernel',
  'initrd',
  'systemd',
  'cloud-init',
  'guest-agent',
  'extension',
  'node-config',
  'kubelet',
  'cluster',
]);

const span = z.object({
  id: z.string(),
  name: z.string(),
  source,
  parent: z.string().optional(),
  unit: z.string().optional(),
  startUs: us,
  endUs: us,
  wait: z.string().optional(),
  result: z.enum(['ok', 'warn', 'fail']).optional(),
  failure: z.string().optional(),
  startedBy: z.string().optional(),
  detail: z.string().optional(),
});

const milestone = z.object({
  name: z.enum(MILESTONE_NAMES),
  atUs: us,
  errorUs: us.optional(),
  source,
  detail: z.string().optional(),
});

export const bootRecordSchema = z.object({
  apiVersion: z.literal('headstart.dev/v1'),
  kind: z.literal('BootRecord'),
  bootId: z
    .string()
    .regex(/^[0-9a-f]{32}$/)
    .optional(),
  name: z.string().optional(),
  host,
  clock: z.object({
    zero: z.enum(['kernel', 'userspace', 'first-event', 'claim']),
    wallAtZeroUs: us.optional(),
    errorUs: us.optional(),
  }),
  manager: manager.optional(),
  units: z.array(unit),
  spans: z.array(span),
  milestones: z.array(milestone),
  claim: z
    .object({
      pool: z.string(),
      instance: z.string(),
      tier: z.enum(['paused', 'frozen']),
      parkedUs: us,
      ranUs: us,
      errorUs: us,
    })
    .optional(),
  sources: z.array(z.object({ kind: z.string(), input: z.string() })),
  notes: z.array(z.object({ level: z.enum(['info', 'warning']), text: z.string() })),
});

/** Undefined if there are none. */
export function problemsOf(value: unknown): string[] | undefined {
  const checked = bootRecordSchema.safeParse(value);
  if (checked.success) return undefined;
  return checked.error.issues.map((issue) => `${issue.path.map(String).join('.') || '(document)'}: ${issue.message}`);
}

// A field that is only in the schema or only in the type does not compile.
type Strip<T> = T extends (infer Item)[]
  ? Strip<Item>[]
  : T extends object
    ? { [K in keyof T]-?: Strip<Exclude<T[K], undefined>> }
    : T;
type Same<A, B> = [A] extends [B] ? ([B] extends [A] ? true : never) : never;
export const schemaIsTheType: Same<Strip<z.infer<typeof bootRecordSchema>>, Strip<BootRecord>> = true;
