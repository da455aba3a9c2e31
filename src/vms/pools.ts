// vms/pools.ts: which pools and instances are there, and how is one found, powered, protected and tagged? pools.suite.ts checks it.
import type { CallOptions } from '../base/call-options.ts';

export interface PoolRef {
  /** The provider's own id, stable for the pool's life. */
  id: string;
  name: string;
}

export interface InstanceRef {
  pool: PoolRef;
  /** In the provider's words; never derived from a computer name. */
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

/** What new instances are made from. Its words are written to records and definitions, so they stay those of the first provider. */
export interface Model {
  image: ImageRef;
  os: 'linux' | 'windows';
  osState: 'generalized' | 'specialized';
  /** Whether new instances run one-time bootstrap. The cloud never gives custom data back: unknown unless we said so. */
  bootstrap: 'none' | 'unknown';
  extensions: Extension[];
  /** V1: booted by a BIOS; V2: by UEFI. */
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
  /** Who else manages this pool and would put its own model back. */
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
  /** What Kubernetes calls the node, where the provider knows it. */
  computerName: string;
  /** The SMBIOS system UUID, lower case: what the clone check compares. */
  vmId: string;
  power: 'running' | 'stopped' | 'deallocated' | 'starting' | 'stopping' | 'unknown';
  protection: Protection;
  isOnLatestModel: boolean;
  /** What it was made from, where the provider tells. */
  image?: ImageRef;
  osDisk?: { id: string; sizeGb: number };
  isSpot: boolean;
  tags: Readonly<Record<string, string>>;
}

/** null removes a tag. */
export type TagChange = Readonly<Record<string, string | null>>;

/**
 * Reading gives undefined for what does not exist; an order about something that does not exist throws `NotFound`.
 * Orders return when the operation has ended, unless they say otherwise; whether it took effect is for the reader to look.
 * Every order is safe to repeat: done already is success.
 */
export interface Pools {
  /** By the node's provider id, never by its name. Throws `Refused` when it is not an instance of a pool. */
  locate(providerId: string, options?: CallOptions): Promise<InstanceRef>;
  /** By its name or its id, in any case; no node and no instance is asked. Throws `NotFound`, which may say what there is. */
  findPool(name: string, options?: CallOptions): Promise<PoolRef>;
  readPool(pool: PoolRef, options?: CallOptions): Promise<Pool | undefined>;
  readInstance(instance: InstanceRef, options?: CallOptions): Promise<Instance | undefined>;
  listInstances(pool: PoolRef, options?: CallOptions): Promise<Instance[]>;

  /** Stopped but keeping its place; `deallocate` gives the place up (and may not get one back). */
  stop(instance: InstanceRef, options?: CallOptions): Promise<void>;
  deallocate(instance: InstanceRef, options?: CallOptions): Promise<void>;
  start(instance: InstanceRef, options?: CallOptions): Promise<void>;
  setProtection(instance: InstanceRef, protection: Protection, options?: CallOptions): Promise<void>;
  tagInstance(instance: InstanceRef, tags: TagChange, options?: CallOptions): Promise<void>;
  /** The model, and what new instances are made from, stays as it is. */
  tagPool(pool: PoolRef, tags: TagChange, options?: CallOptions): Promise<void>;
}
