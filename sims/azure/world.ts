// sims/azure/world.ts: what exists in the simulated subscription? Plain data: it can be cloned, compared and printed.
import type { JsonObject } from './service/json.ts';
import type { Timing } from './service/timing.ts';

export interface Tracked {
  id: string;
  name: string;
  location: string;
  tags: Record<string, string>;
  createdMs: number;
}

/** What Azure takes and never gives back. */
export interface ModelSecrets {
  customData?: string;
  adminPassword?: string;
  /** By the extension's name. */
  protectedSettings: Record<string, JsonObject>;
}

export interface ScaleSet extends Tracked {
  mode: 'Uniform' | 'Flexible';
  etag: number;
  /** sku, zones, plan, identity: what stands beside properties. */
  top: JsonObject;
  properties: JsonObject;
  secrets: ModelSecrets;
  osState: OsState;
  generation: 'V1' | 'V2';
  /** Counts changes of the recipe; instances made from an older one are stale. */
  modelVersion: number;
  nextInstance: number;
  state: 'Creating' | 'Updating' | 'Succeeded' | 'Failed' | 'Deleting';
}

export type OsState = 'Generalized' | 'Specialized';
export type Power = 'running' | 'stopped' | 'deallocated' | 'starting' | 'stopping' | 'deallocating';

/** What an instance was made from, secrets included: the question every prototype test asks. */
export interface Birth {
  imageReference: JsonObject;
  exactVersion: string;
  customData?: string;
  extensions: JsonObject[];
  protectedSettings: Record<string, JsonObject>;
  /** Null when the image was specialized and the model had no OS profile. */
  osProfile: JsonObject | null;
}

export interface Instance extends Tracked {
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
  /** The model's profile at birth, as GET shows it. */
  profile: JsonObject;
  birth: Birth;
}

export interface Disk extends Tracked {
  sku: string;
  uniqueId: string;
  managedBy: string | null;
  properties: JsonObject;
}

export interface Snapshot extends Tracked {
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

export interface Gallery extends Tracked {
  state: GalleryState;
  properties: JsonObject;
}

export interface Definition extends Tracked {
  state: GalleryState;
  properties: JsonObject;
}

export interface Version extends Tracked {
  state: GalleryState;
  properties: JsonObject;
  sizeGb: number;
  /** When its bytes are in every region asked for. */
  replicatedMs: number;
  failure?: string;
}

/** Which resource provider runs it, as it stands in the operation's URL. */
export type OperationKind = 'operations' | 'DiskOperations' | 'capsOperations';

/** What the operation says at the end, and whether it did what it says. */
export type Fate = 'as-asked' | 'failed' | 'failed-but-applied' | 'succeeded-but-not-applied' | 'allocation-failed';

/** What an operation will have done when it ends, as data, so that a world can be copied while it runs. */
export type Effect =
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
  | { kind: 'delete-version'; id: string }
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
  effect: Effect;
  /** The scale set, disk or version that is busy until the end. */
  on: string;
  error?: { code: string; message: string };
  output?: JsonObject;
  /** A poll before this moment disregards the hint given with the last answer. */
  notBeforeMs: number;
}

/** How many requests of a kind are still taken: see throttle.ts. */
export interface Bucket {
  tokens: number;
  atMs: number;
  /** Set by a refusal: whoever asks again before it is refused again, and waits longer. */
  blockedUntilMs: number;
}

export interface World {
  subscriptionId: string;
  tenantId: string;
  resourceGroups: { name: string; location: string }[];
  /** Regions where a gallery may not keep versions on zone-redundant storage. */
  regionsWithoutZones: string[];
  timing: Timing;
  /** How much faster than real time the service is; throttling keeps pace. */
  speed: number;
  random: number;
  /** All maps are keyed by the id in lower case: ARM compares ids without regard to case. */
  scaleSets: Record<string, ScaleSet>;
  instances: Record<string, Instance>;
  disks: Record<string, Disk>;
  snapshots: Record<string, Snapshot>;
  galleries: Record<string, Gallery>;
  definitions: Record<string, Definition>;
  versions: Record<string, Version>;
  operations: Record<string, Operation>;
  buckets: Record<string, Bucket>;
}

export const PROVIDER = 'providers/Microsoft.Compute';

export function groupId(world: World, group: string): string {
  return `/subscriptions/${world.subscriptionId}/resourceGroups/${group}`;
}

export function keyOf(id: string): string {
  return id.toLowerCase();
}

export function groupOf(id: string): string {
  return id.split('/')[4] ?? '';
}

/** The next number in [0, 1), from the scenario's seed alone, so that a failing run can be had again. */
export function random(world: Pick<World, 'random'>): number {
  world.random = (world.random + 0x6d2b79f5) >>> 0;
  let mixed = world.random;
  mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
  mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
  return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
}

export function hex(world: World, digits: number): string {
  return Array.from({ length: digits }, () => Math.floor(random(world) * 16).toString(16)).join('');
}

export function uuid(world: World): string {
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

export function instancesOf(world: World, set: Pick<ScaleSet, 'id'>): Instance[] {
  return Object.values(world.instances).filter((instance) => keyOf(instance.scaleSetId) === keyOf(set.id));
}
