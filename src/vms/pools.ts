// vms/pools.ts: contract for pools and instances: find, read, start, stop, protect and tag them. pools.suite.ts checks it.
import type { CallOptions } from '../base/call-options.ts';

export interface PoolRef {
  /** The provider's id, stable for the pool's life. */
  id: string;
  name: string;
}

export interface InstanceRef {
  pool: PoolRef;
  /** The provider's id; never derived from a computer name. */
  id: string;
}

export type ImageRef =
  /** Pinned to one gallery version. */
  | { kind: 'version'; id: string }
  /** Resolves to the definition's newest version each time an instance is made. */
  | { kind: 'definition'; id: string }
  | { kind: 'marketplace'; publisher: string; offer: string; sku: string; version: string }
  /** A version or definition of another tenant's gallery: public, or shared with this subscription. */
  | { kind: 'community' | 'shared'; id: string }
  /** An image outside any gallery. */
  | { kind: 'managed'; id: string }
  /** The id is empty when the model has no image. */
  | { kind: 'other'; id: string };

export interface Extension {
  name: string;
  publisher: string;
  type: string;
  /** Names of the extensions that must finish first. */
  after: string[];
}

/** V1 boots with BIOS, V2 with UEFI. */
export type VmGeneration = 'V1' | 'V2';

/** What new instances are made from. Field values are stored in records and definitions; they follow Azure, the first provider. */
export interface Model {
  image: ImageRef;
  os: 'linux' | 'windows';
  osState: 'generalized' | 'specialized';
  /** Whether new instances run one-time bootstrap. Azure never returns custom data, so this is unknown unless we set it to none. */
  bootstrap: 'none' | 'unknown';
  extensions: Extension[];
  generation: VmGeneration | 'unknown';
  architecture: 'x64' | 'Arm64';
  securityType: 'Standard' | 'TrustedLaunch' | 'ConfidentialVM';
  plan?: { name: string; product: string; publisher: string };
  hasEphemeralDisk: boolean;
  isSpot: boolean;
  upgrades: 'manual' | 'automatic' | 'rolling';
  /** The platform replaces the OS disks when a version is published. */
  hasAutomaticOsUpgrade: boolean;
  osDiskGb?: number;
  /** The customer-managed key of OS disks; absent: the platform's key. */
  diskEncryptionSetId?: string;
  /** How instances attach their disks. `unknown`: the VM size may need NVMe, and nothing says what its disks use. Absent: it does not matter. */
  diskController?: 'SCSI' | 'NVMe' | 'unknown';
  /** What a definition declares of its images beyond the fields above, by the provider's names. */
  imageFeatures?: Readonly<Record<string, string>>;
  /** Data disks that come with the image: a copy of the OS disk does not have them. */
  hasDataDisksFromImage?: boolean;
  /** A location outside its region's data centers, which versions do not reach. */
  edgeZone?: string;
}

export interface Pool {
  ref: PoolRef;
  /** Changes whenever the pool changes; a model change is conditional on it. */
  etag: string;
  region: string;
  state: 'ready' | 'updating' | 'failed';
  model: Model;
  /** Another controller that manages this pool and would revert our model. */
  managedBy?: 'aks' | 'capz';
  hasInstanceRepair: boolean;
  capacity: number;
  tags: Readonly<Record<string, string>>;
}

export interface Protection {
  /** Scale-in never picks this instance. */
  fromScaleIn: boolean;
  /** Upgrades, repairs and model changes skip this instance. */
  fromPoolActions: boolean;
}

/** Optional fields are facts of the disk itself, which only `readInstance` reads. */
export interface OsDisk {
  id: string;
  sizeGb: number;
  generation?: VmGeneration;
  controller?: 'SCSI' | 'NVMe';
  diskEncryptionSetId?: string;
  securityType?: Model['securityType'];
  /** Encrypted from inside with a key of this machine: a copy cannot be read. */
  isEncryptedInGuest?: boolean;
}

/** What a list of a pool says about an instance. What would take a request per instance may be missing. */
export interface ListedInstance {
  ref: InstanceRef;
  /** The Kubernetes node name, where the provider records it. */
  computerName: string;
  /** The SMBIOS system UUID in lower case, which the clone check compares. */
  vmId: string;
  power: 'running' | 'stopped' | 'deallocated' | 'starting' | 'stopping' | 'unknown';
  protection?: Protection;
  isOnLatestModel?: boolean;
  /** The image it was made from, where the provider reports it. */
  image?: ImageRef;
  osDisk?: Pick<OsDisk, 'id'> & Partial<OsDisk>;
  isSpot: boolean;
  tags: Readonly<Record<string, string>>;
}

export interface Instance extends ListedInstance {
  protection: Protection;
  isOnLatestModel: boolean;
  osDisk?: OsDisk;
}

/** The parts of a provider id. */
export interface ParsedProviderId {
  /** Equals the id of the instance's ref, ignoring case. */
  instanceId: string;
  /** Equals the id of the pool's ref, ignoring case; absent if the provider id does not tell the pool. */
  poolId?: string;
}

/** null removes a tag. */
export type TagChange = Readonly<Record<string, string | null>>;

/**
 * A read returns undefined when the thing does not exist; a change to a thing that does not exist throws `NotFound`.
 * A change returns when the operation has ended, unless its comment says otherwise; callers read again to see whether it took effect.
 * Every change is safe to repeat: it succeeds when the result already exists.
 */
export interface Pools {
  /** Looks up by the node's provider id, never by its name. Throws `Refused` when the id is not that of a pool's instance. */
  locate(providerId: string, options?: CallOptions): Promise<InstanceRef>;
  /** Sends no request. undefined: not the id of an instance of this provider. */
  parseProviderId(providerId: string): ParsedProviderId | undefined;
  /**
   * Like `locate` for many ids, with the provider ids as keys. The number of requests depends on the number of pools, not of ids.
   * Leaves out ids that are not those of a pool's instance.
   */
  locateAll(providerIds: readonly string[], options?: CallOptions): Promise<Map<string, InstanceRef>>;
  /** Matches the name or the id, ignoring case. Reads no node and no instance. Throws `NotFound`, which may list the existing pools. */
  findPool(name: string, options?: CallOptions): Promise<PoolRef>;
  readPool(pool: PoolRef, options?: CallOptions): Promise<Pool | undefined>;
  readInstance(instance: InstanceRef, options?: CallOptions): Promise<Instance | undefined>;
  /** One paged list: sends no request per instance. */
  listInstances(pool: PoolRef, options?: CallOptions): Promise<ListedInstance[]>;

  /** The instance keeps its capacity on the host. */
  stop(instance: InstanceRef, options?: CallOptions): Promise<void>;
  /** Stops the instance and gives up its capacity; a later start may fail for lack of it. */
  deallocate(instance: InstanceRef, options?: CallOptions): Promise<void>;
  start(instance: InstanceRef, options?: CallOptions): Promise<void>;
  setProtection(instance: InstanceRef, protection: Protection, options?: CallOptions): Promise<void>;
  tagInstance(instance: InstanceRef, tags: TagChange, options?: CallOptions): Promise<void>;
  /** Leaves the model unchanged. */
  tagPool(pool: PoolRef, tags: TagChange, options?: CallOptions): Promise<void>;
}
