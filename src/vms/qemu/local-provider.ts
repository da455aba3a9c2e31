// vms/qemu/local-provider.ts: what can pools and guests of this machine do beyond what every provider promises? Types only; qemu-provider.ts says where it is done.
import type { CallOptions } from '../../base/call-options.ts';
import type { ImageRef, Instance, InstanceRef, Pool, PoolRef, Pools } from '../pools.ts';
import type { VmProvider } from '../provider.ts';

/** What the guest may reach besides its metadata: an address in its network, and where on this machine that leads. */
export interface Service {
  /** In the guest's network, `168.0.0.100`. */
  address: string;
  port: number;
  to: { host: string; port: number };
}

/** A script that is run on a new instance, once, as soon as its guest agent answers. */
export interface LocalExtension {
  name: string;
  publisher: string;
  type: string;
  after: string[];
  script: string;
}

export interface Size {
  cpus: number;
  memoryMb: number;
  diskGb: number;
}

export interface PoolSpec {
  name: string;
  /** A version of a local gallery; base images are versions, too. */
  image: ImageRef;
  /** base64; given to the guest on its provisioning disk, as a cloud does. */
  customData?: string;
  /** base64; answered by the metadata service, and may change while the instance runs. */
  userData?: string;
  extensions: LocalExtension[];
  size: Size;
  services: Service[];
  /** A new instance is up when this unit is active; without it, when systemd has started everything. */
  readyUnit?: string;
  /** Its instances are nodes of this cluster of this machine. */
  cluster?: string;
  tags: Readonly<Record<string, string>>;
}

export interface GuestRunResult {
  exitCode: number;
  stdout: Buffer;
  stderr: Buffer;
}

export interface GuestRunOptions extends CallOptions {
  deadlineMs: number;
  /** Written to its standard input. */
  input?: string | Uint8Array;
}

/** Two clocks at one moment: what the guest's clock showed, and the shortest interval of this machine's in which it did. */
export interface GuestClockReading {
  guestMs: number;
  hostBeforeMs: number;
  hostAfterMs: number;
}

export interface LocalPools extends Pools {
  /** No instances yet. Throws `Conflict` when there is one of that name. */
  createPool(spec: PoolSpec, options?: CallOptions): Promise<Pool>;
  listPools(options?: CallOptions): Promise<Pool[]>;
  /** With its instances and their disks; image versions stay. Gone already is success. */
  deletePool(pool: PoolRef, options?: CallOptions): Promise<void>;
  readSpec(pool: PoolRef, options?: CallOptions): Promise<PoolSpec>;
  /**
   * Makes and starts new instances, or deletes the newest that are not protected from scale-in. Returns the new ones, started but not
   * yet up, so that several boot at once; `awaitUp` waits.
   */
  setCapacity(pool: PoolRef, capacity: number, options?: CallOptions): Promise<Instance[]>;
  deleteInstance(instance: InstanceRef, options?: CallOptions): Promise<void>;
  /** A new disk from the model as it is now; the instance keeps its name, address and VM id. */
  reimage(instance: InstanceRef, options?: CallOptions): Promise<void>;
  /** null removes it. On a pool: for all its instances that have none of their own. */
  setUserData(target: PoolRef | InstanceRef, userData: string | null, options?: CallOptions): Promise<void>;
}

export interface Guests {
  /** Until the guest is up as its pool defines it, and its extensions ran. Throws a UserError that shows the end of the console when it is not in time. */
  awaitUp(instance: InstanceRef, options: CallOptions & { deadlineMs: number }): Promise<void>;
  isUp(instance: InstanceRef, options?: CallOptions): Promise<boolean>;
  /** Through the guest agent, as root. Program and arguments, never a shell string. */
  runInGuest(
    instance: InstanceRef,
    argv: readonly [string, ...string[]],
    options: GuestRunOptions,
  ): Promise<GuestRunResult>;
  readClock(instance: InstanceRef, options?: CallOptions): Promise<GuestClockReading>;
  /** The paths and ports of an instance, for logs, ssh and looks at a disk from outside. */
  readDetails(instance: InstanceRef): Promise<InstanceDetails>;
}

export interface QemuProvider extends VmProvider {
  pools: LocalPools;
  guests: Guests;
}

export interface InstanceDetails {
  folder: string;
  consoleLog: string;
  disk: string;
  /** When QEMU was last started, on this machine's clock. */
  startedMs?: number;
  /** On 127.0.0.1, leads to the guest's ssh. */
  sshPort?: number;
  /** The same for its kubelet, where the pool is a cluster's. */
  kubeletPort?: number;
  address: string;
}
