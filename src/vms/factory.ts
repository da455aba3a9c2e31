// vms/factory.ts: what can a factory of VMs do, in our words? Azure, QEMU and the fake promise the same; contract.ts checks it.
import type { CallOptions } from '../base/call-options.ts';

export type { CallOptions, Waiting } from '../base/call-options.ts';

export interface PoolRef {
  /** The factory's own id (an ARM id, a folder), stable for the pool's life. */
  id: string;
  name: string;
}

export interface InstanceRef {
  pool: PoolRef;
  /** In the factory's words; never derived from a computer name. */
  id: string;
}

export type ImageRef =
  /** Pinned to one version of a gallery. */
  | { kind: 'version'; id: string }
  /** Floats to the newest version of a definition. */
  | { kind: 'definition'; id: string }
  | { kind: 'marketplace'; publisher: string; offer: string; sku: string; version: string }
  | { kind: 'other'; id: string };

export interface Extension {
  name: string;
  publisher: string;
  type: string;
  /** Names of extensions that have to be there first. */
  after: string[];
}

/** The recipe new instances are made from. */
export interface Model {
  image: ImageRef;
  os: 'linux' | 'windows';
  osState: 'generalized' | 'specialized';
  /** Whether new instances run one-time bootstrap. The cloud never gives custom data back: unknown unless we said so. */
  bootstrap: 'none' | 'unknown';
  extensions: Extension[];
  generation: 'V1' | 'V2';
  architecture: 'x64' | 'Arm64';
  securityType: 'Standard' | 'TrustedLaunch' | 'ConfidentialVM';
  plan?: { name: string; product: string; publisher: string };
  hasEphemeralDisk: boolean;
  isSpot: boolean;
  upgrades: 'manual' | 'automatic' | 'rolling';
  /** The platform replaces the OS disk by itself when a version is published. */
  hasAutomaticOsUpgrade: boolean;
  osDiskGb?: number;
}

export interface Pool {
  ref: PoolRef;
  /** Changes with every change of the pool; a model change is conditional on it. */
  etag: string;
  region: string;
  state: 'ready' | 'updating' | 'failed';
  model: Model;
  /** Who else manages this pool and would put its own recipe back. */
  managedBy?: 'aks' | 'capz';
  hasInstanceRepair: boolean;
  capacity: number;
  tags: Readonly<Record<string, string>>;
}

export interface Protection {
  /** Not chosen when the pool shrinks. */
  fromScaleIn: boolean;
  /** Left alone by upgrades, repairs and model changes. */
  fromPoolActions: boolean;
}

export interface Instance {
  ref: InstanceRef;
  /** What Kubernetes calls the node, where the factory knows it. */
  computerName: string;
  /** The SMBIOS system UUID, lower case: what the clone check compares. */
  vmId: string;
  power: 'running' | 'stopped' | 'deallocated' | 'starting' | 'stopping' | 'unknown';
  protection: Protection;
  isOnLatestModel: boolean;
  /** What it was made from, where the factory tells. */
  image?: ImageRef;
  osDisk?: { id: string; sizeGb: number };
  isSpot: boolean;
  tags: Readonly<Record<string, string>>;
}

export interface Snapshot {
  name: string;
  id: string;
  /** complete only when every byte is readable. */
  state: 'creating' | 'complete' | 'failed';
  percent: number;
  sourceDiskId: string;
  createdMs: number;
  tags: Readonly<Record<string, string>>;
}

export interface DefinitionSpec {
  gallery: string;
  name: string;
  osState: Model['osState'];
  generation: Model['generation'];
  architecture: Model['architecture'];
  securityType: Model['securityType'];
  plan?: Model['plan'];
  publisher: string;
  offer: string;
  sku: string;
}

export interface Definition extends DefinitionSpec {
  id: string;
}

export type Redundancy = 'zone' | 'local';

export interface VersionSpec {
  definition: Definition;
  /** Three integers, `2026.11.15`. */
  name: string;
  snapshotId: string;
  region: string;
  replicas: number;
  redundancy: Redundancy;
  isExcludedFromLatest: boolean;
  tags: Readonly<Record<string, string>>;
}

export interface Version {
  name: string;
  id: string;
  /** ready: made *and* replicated to every region asked for. */
  state: 'creating' | 'replicating' | 'ready' | 'failed' | 'deleting';
  percent: number;
  isExcludedFromLatest: boolean;
  replicas: number;
  redundancy: Redundancy;
  sizeGb: number;
  createdMs: number;
  tags: Readonly<Record<string, string>>;
  /** Why it failed. */
  failure?: string;
}

/** One update, all or nothing. */
export interface ModelChange {
  image: ImageRef;
  /** none: an empty cloud-config; otherwise base64 custom data. */
  bootstrap: 'none' | { customData: string };
  /** The extensions the model has afterwards, by name: `keep` of those that are there, and `add` from a saved recipe. */
  extensions: { keep: string[]; add: readonly unknown[] };
  tags: Readonly<Record<string, string | null>>;
}

/** What is needed to go back, as the factory itself writes it; opaque to everybody else. */
export interface Recipe {
  image: ImageRef;
  /** base64, as found on the donor or given by the operator; absent = there was none to be had. */
  customData?: string;
  /** With their public settings; protected ones are never given back by a cloud. */
  extensions: readonly unknown[];
}

/**
 * Reading gives undefined for what does not exist; an order about something that does not exist throws `NotFound`.
 * Orders return when the operation has ended, unless they say otherwise; whether it took effect is for the reader to look.
 * Every order is safe to repeat: done already is success.
 */
export interface Factory {
  /** By the node's provider id, never by its name. Throws `Refused` when it is not an instance of a pool. */
  locate(providerId: string, options?: CallOptions): Promise<InstanceRef>;
  readPool(pool: PoolRef, options?: CallOptions): Promise<Pool | undefined>;
  readInstance(instance: InstanceRef, options?: CallOptions): Promise<Instance | undefined>;
  listInstances(pool: PoolRef, options?: CallOptions): Promise<Instance[]>;

  /** Stopped but keeping its place; `stopAndRelease` gives the place up (and may not get one back). */
  stop(instance: InstanceRef, options?: CallOptions): Promise<void>;
  stopAndRelease(instance: InstanceRef, options?: CallOptions): Promise<void>;
  start(instance: InstanceRef, options?: CallOptions): Promise<void>;
  setProtection(instance: InstanceRef, protection: Protection, options?: CallOptions): Promise<void>;
  /** null removes a tag. */
  tagInstance(
    instance: InstanceRef,
    tags: Readonly<Record<string, string | null>>,
    options?: CallOptions,
  ): Promise<void>;

  readSnapshot(name: string, options?: CallOptions): Promise<Snapshot | undefined>;
  createSnapshot(
    spec: { name: string; sourceDiskId: string; region: string; tags: Readonly<Record<string, string>> },
    options?: CallOptions,
  ): Promise<void>;
  deleteSnapshot(name: string, options?: CallOptions): Promise<void>;

  readDefinition(gallery: string, name: string, options?: CallOptions): Promise<Definition | undefined>;
  /** With its gallery. Throws `Refused` when one of that name exists and differs in what cannot be changed. */
  ensureDefinition(spec: DefinitionSpec, region: string, options?: CallOptions): Promise<Definition>;
  /** Of one gallery, whoever made them; undefined where there is no such gallery, which is not an empty one. */
  listDefinitions(gallery: string, options?: CallOptions): Promise<Definition[] | undefined>;
  listVersions(definition: Definition, options?: CallOptions): Promise<Version[]>;
  /** As the list shows it, for whoever waits for one. */
  readVersion(definition: Definition, version: string, options?: CallOptions): Promise<Version | undefined>;
  /** Returns once the factory has taken the order; making and replicating go on for minutes to hours. */
  beginVersion(spec: VersionSpec, options?: CallOptions): Promise<void>;
  setExcludedFromLatest(
    definition: Definition,
    version: string,
    isExcluded: boolean,
    options?: CallOptions,
  ): Promise<void>;
  /** null removes a tag. How the version is offered stays as it is. */
  tagVersion(
    definition: Definition,
    version: string,
    tags: Readonly<Record<string, string | null>>,
    options?: CallOptions,
  ): Promise<void>;
  deleteVersion(definition: Definition, version: string, options?: CallOptions): Promise<void>;
  /** Throws `Refused` while it has versions: nothing goes that nobody named. */
  deleteDefinition(definition: Definition, options?: CallOptions): Promise<void>;
  /** Throws `Refused` while anything is in it, so that a definition somebody has just made is not lost. */
  deleteGallery(gallery: string, options?: CallOptions): Promise<void>;

  /** What the model looks like now, for the way back. Protected settings and custom data are not in it. */
  readRecipe(pool: PoolRef, options?: CallOptions): Promise<Recipe>;
  /** One conditional update; throws `Conflict` when the pool is no longer at `etag`. */
  changeModel(pool: Pool, change: ModelChange, options?: CallOptions): Promise<void>;
  /** null removes a tag. The model, and what new instances are made from, stays as it is. */
  tagPool(pool: PoolRef, tags: Readonly<Record<string, string | null>>, options?: CallOptions): Promise<void>;
  /** Image versions, by id, that any pool model or instance in reach of the gallery refers to. */
  referencedImages(definition: Definition, options?: CallOptions): Promise<ReadonlySet<string>>;
}
