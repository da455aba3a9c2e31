// sims/azure/world.ts: what exists in the simulated subscription? Plain data: it can be cloned, compared and printed.
import type { JsonObject } from './service/json.ts';
import type { OperationTimes } from './service/timing.ts';

export interface TrackedOperation {
  id: string;
  name: string;
  location: string;
  tags: Record<string, string>;
  createdMs: number;
}

/** What Azure accepts and never returns. */
export interface ModelSecrets {
  customData?: string;
  adminPassword?: string;
  /** By the extension's name. */
  protectedSettings: Record<string, JsonObject>;
}

export interface SimScaleSet extends TrackedOperation {
  mode: 'Uniform' | 'Flexible';
  etag: number;
  /** sku, zones, plan, identity: the fields next to `properties`. */
  top: JsonObject;
  properties: JsonObject;
  secrets: ModelSecrets;
  osState: OsState;
  generation: 'V1' | 'V2';
  /** Counts changes of the model; instances made from an older one are outdated. */
  modelVersion: number;
  nextInstance: number;
  state: 'Creating' | 'Updating' | 'Succeeded' | 'Failed' | 'Deleting';
}

export type OsState = 'Generalized' | 'Specialized';
export type Power =
  | 'running'
  | 'stopped'
  | 'deallocated'
  | 'hibernated'
  | 'starting'
  | 'stopping'
  | 'deallocating'
  | 'hibernating';

/** The states in which a standby pool keeps VMs. */
export type ParkedPower = 'running' | 'hibernated' | 'deallocated';

/** Of a VM that a standby pool made, also after its move into the scale set. */
export interface StandbyMembership {
  poolId: string;
  isIn: boolean;
  wanted: ParkedPower;
  /** Not handed out before: provisioning takes until then, and the pool's delay after it. */
  readyMs: number;
  zone: number | null;
}

/** What an instance was made from, secrets included. */
export interface Birth {
  imageReference: JsonObject;
  exactVersion: string;
  customData?: string;
  extensions: JsonObject[];
  protectedSettings: Record<string, JsonObject>;
  /** Null when the image was specialized and the model had no OS profile. */
  osProfile: JsonObject | null;
}

export interface SimInstance extends TrackedOperation {
  scaleSetId: string;
  mode: 'Uniform' | 'Flexible';
  instanceId: string;
  vmId: string;
  computerName: string;
  etag: number;
  power: Power;
  state: 'Creating' | 'Updating' | 'Succeeded' | 'Failed' | 'Deleting';
  protection: { protectFromScaleIn: boolean; protectFromScaleSetActions: boolean } | null;
  osDiskId: string | null;
  modelVersion: number;
  /** The model's profile when the instance was made, as GET shows it. */
  profile: JsonObject;
  /** Of the set when the instance was made; hibernation is one of them. */
  capabilities: JsonObject | null;
  birth: Birth;
  /** null: no standby pool made it. */
  standby: StandbyMembership | null;
}

export interface SimStandbyPool extends TrackedOperation {
  scaleSetId: string;
  /** A random id, as the service gives it: not a counter. */
  etag: string;
  modifiedMs: number;
  /** As the client sent them. */
  properties: JsonObject;
  state: 'Succeeded' | 'Deleting';
  /** Until then the pool makes no VMs, because it could not make the last ones. */
  degradedUntilMs: number;
}

export interface SimDisk extends TrackedOperation {
  sku: string;
  uniqueId: string;
  managedBy: string | null;
  properties: JsonObject;
}

export interface SimSnapshot extends TrackedOperation {
  sku: string;
  uniqueId: string;
  state: 'Updating' | 'Succeeded' | 'Failed';
  sourceDiskId: string;
  sourceUniqueId: string;
  sizeGb: number;
  isIncremental: boolean;
  completesMs: number;
  properties: JsonObject;
}

export type GalleryState = 'Creating' | 'Updating' | 'Succeeded' | 'Failed' | 'Deleting';

export interface SimGallery extends TrackedOperation {
  state: GalleryState;
  properties: JsonObject;
}

export interface SimDefinition extends TrackedOperation {
  state: GalleryState;
  properties: JsonObject;
}

export interface SimVersion extends TrackedOperation {
  state: GalleryState;
  properties: JsonObject;
  sizeGb: number;
  /** When its bytes are in every requested region. */
  replicatedMs: number;
  failure?: string;
}

/** The resource provider, as in the operation's URL. */
export type OperationKind = 'operations' | 'DiskOperations' | 'capsOperations' | 'operationStatuses';

/** The final status of the operation, and whether it took effect. */
export type Fate =
  | 'as-asked'
  | 'failed'
  | 'failed-but-applied'
  | 'succeeded-but-not-applied'
  | 'allocation-failed'
  /** As asked, and the standby pool that is concerned becomes degraded. */
  | 'standby-degraded';

/** The effect of an operation, as data, so that the world can be copied while the operation runs. */
export type OperationEffect =
  | { kind: 'power'; moved: { id: string; from: Power; to: Power }[]; isReimaged: boolean }
  | { kind: 'instance-updated'; id: string }
  | { kind: 'delete-instances'; ids: string[] }
  | { kind: 'model-updated'; id: string; born: string[]; leaving: string[] }
  | { kind: 'upgrade-instances'; ids: string[] }
  | { kind: 'delete-scale-set'; id: string }
  | { kind: 'disk-made'; id: string }
  | { kind: 'delete-disk'; id: string }
  | { kind: 'snapshot-made'; id: string }
  | { kind: 'delete-snapshot'; id: string }
  | { kind: 'access-granted'; sas: JsonObject }
  | { kind: 'gallery-ready'; id: string }
  | { kind: 'delete-gallery'; id: string }
  | { kind: 'definition-ready'; id: string }
  | { kind: 'delete-definition'; id: string }
  | { kind: 'version-ready'; id: string }
  | { kind: 'version-changed'; id: string }
  | { kind: 'thing-changed'; id: string }
  | { kind: 'delete-version'; id: string }
  | { kind: 'standby-moved'; id: string; to: Power }
  | { kind: 'standby-resumes' }
  | { kind: 'delete-standby-pool'; id: string }
  | { kind: 'none' };

export interface Operation {
  id: string;
  kind: OperationKind;
  location: string;
  apiVersion: string;
  startedMs: number;
  endsMs: number;
  status: 'InProgress' | 'Succeeded' | 'Failed';
  fate: Fate;
  effect: OperationEffect;
  /** The scale set, disk or version that is busy until the end. */
  on: string;
  error?: { code: string; message: string };
  output?: JsonObject;
  /** A poll before this time ignores the hint of the last answer. */
  notBeforeMs: number;
}

/** How many requests of a kind are still accepted: see throttle.ts. */
export interface ThrottleBucket {
  tokens: number;
  atMs: number;
  /** Set by a 429: a request before this time is refused again and extends the wait. */
  blockedUntilMs: number;
}

/** A management lock of a subscription, a resource group or a resource. */
export interface SimLock {
  scope: string;
  name: string;
  level: 'CanNotDelete' | 'ReadOnly';
}

export interface SimWorld {
  subscriptionId: string;
  tenantId: string;
  resourceGroups: { name: string; location: string }[];
  /** Regions without zone-redundant storage for versions. */
  regionsWithoutZones: string[];
  locks: SimLock[];
  /** Whether a PATCH of a scale set keeps the extensions that its list omits. */
  patchKeepsExtensions: boolean;
  timing: OperationTimes;
  /** How much faster than real time the service is; throttling scales with it. */
  speed: number;
  random: number;
  /** How many were answered: their ids follow from it. */
  requests: number;
  /** All maps are keyed by the id in lower case: ARM compares ids without regard to case. */
  scaleSets: Record<string, SimScaleSet>;
  instances: Record<string, SimInstance>;
  disks: Record<string, SimDisk>;
  snapshots: Record<string, SimSnapshot>;
  galleries: Record<string, SimGallery>;
  definitions: Record<string, SimDefinition>;
  versions: Record<string, SimVersion>;
  standbyPools: Record<string, SimStandbyPool>;
  operations: Record<string, Operation>;
  buckets: Record<string, ThrottleBucket>;
}

export const PROVIDER = 'providers/Microsoft.Compute';
export const STANDBY_PROVIDER = 'providers/Microsoft.StandbyPool';

export function groupId(world: SimWorld, group: string): string {
  return `/subscriptions/${world.subscriptionId}/resourceGroups/${group}`;
}

export function keyOf(id: string): string {
  return id.toLowerCase();
}

export function groupOf(id: string): string {
  return id.split('/')[4] ?? '';
}

/** The next number in [0, 1), from the scenario's seed alone, so that a failing run can be repeated. */
export function random(world: Pick<SimWorld, 'random'>): number {
  world.random = (world.random + 0x6d2b79f5) >>> 0;
  let mixed = world.random;
  mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
  mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
  return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
}

export function hex(world: SimWorld, digits: number): string {
  return Array.from({ length: digits }, () => Math.floor(random(world) * 16).toString(16)).join('');
}

export function uuid(world: SimWorld): string {
  const digits = hex(world, 32);
  return [8, 4, 4, 4, 12]
    .reduce<{ at: number; parts: string[] }>(
      ({ at, parts }, length) => ({ at: at + length, parts: [...parts, digits.slice(at, at + length)] }),
      { at: 0, parts: [] },
    )
    .parts.map((part, index) => (index === 2 ? `4${part.slice(1)}` : index === 3 ? `8${part.slice(1)}` : part))
    .join('-');
}

export function timestamp(ms: number): string {
  return new Date(ms).toISOString().replace('Z', '0000+00:00');
}

/** Without the VMs that wait in its standby pool. */
export function instancesOf(world: SimWorld, set: Pick<SimScaleSet, 'id'>): SimInstance[] {
  return Object.values(world.instances).filter(
    ({ scaleSetId, standby }) => keyOf(scaleSetId) === keyOf(set.id) && standby?.isIn !== true,
  );
}
