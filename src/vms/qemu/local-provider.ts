// vms/qemu/local-provider.ts: what do local pools and guests support beyond the contracts? Types only; qemu-provider.ts has the functions.
import type { CallOptions } from '../../base/call-options.ts';
import type { ImageRef, Instance, InstanceRef, Pool, PoolRef, Pools } from '../pools.ts';
import type { VmProvider } from '../provider.ts';
import type { Claim, Standby } from '../standby.ts';

/** A service the guest can reach besides its metadata: an address in the guest network, forwarded to a host and port. */
export interface Service {
  /** In the guest network, `168.0.0.100`. */
  address: string;
  port: number;
  to: { host: string; port: number };
}

/** A script that runs once on a new instance, as soon as its guest agent answers. */
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
  /** A version in a local gallery; base images are versions too. */
  image: ImageRef;
  /** base64; the guest reads it from its provisioning disk, as on Azure. */
  customData?: string;
  /** base64; the metadata service serves it, and it may change while the instance runs. */
  userData?: string;
  extensions: LocalExtension[];
  size: Size;
  services: Service[];
  /** An instance is up when this unit is active. Default: when systemd has finished starting all units. */
  readyUnit?: string;
  /** The local cluster that the instances join as nodes. */
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
  /** Written to the program's standard input. */
  input?: string | Uint8Array;
}

/** One reading of the guest's clock, and the interval on this machine's clock in which it was taken. */
export interface GuestClockReading {
  guestMs: number;
  hostBeforeMs: number;
  hostAfterMs: number;
}

/** An instance that was started, and where it came from. */
export interface StartedInstance extends Instance, Pick<Claim, 'from' | 'why'> {}

export interface LocalPools extends Pools {
  /** Creates a pool without instances. Throws `Conflict` when a pool of that name exists. */
  createPool(spec: PoolSpec, options?: CallOptions): Promise<Pool>;
  listPools(options?: CallOptions): Promise<Pool[]>;
  /** Here a list has everything that a read has. */
  listInstances(pool: PoolRef, options?: CallOptions): Promise<Instance[]>;
  /** Deletes its instances and their disks too; image versions stay. Succeeds when the pool does not exist. */
  deletePool(pool: PoolRef, options?: CallOptions): Promise<void>;
  readSpec(pool: PoolRef, options?: CallOptions): Promise<PoolSpec>;
  /**
   * Claims standby instances, then makes and starts new ones, or deletes the newest that are not protected from scale-in. Returns the
   * new instances, started but not yet up, so that several boot at once; `awaitUp` waits for one.
   */
  setCapacity(pool: PoolRef, capacity: number, options?: CallOptions): Promise<StartedInstance[]>;
  deleteInstance(instance: InstanceRef, options?: CallOptions): Promise<void>;
  /** Replaces the disk with a new one from the current model; the instance keeps its name, address and VM id. */
  reimage(instance: InstanceRef, options?: CallOptions): Promise<void>;
  /** null removes it. A pool's user data applies to its instances that have no user data set. */
  setUserData(target: PoolRef | InstanceRef, userData: string | null, options?: CallOptions): Promise<void>;
}

export interface AwaitUpOptions extends CallOptions {
  deadlineMs: number;
  /** A claimed guest had continued, was never Ready, and boots now. */
  onBoot?: ((why: string) => void) | undefined;
}

export interface Guests {
  /** Waits until the guest is up, as its pool defines it, and its extensions have run. On timeout, throws a UserError with the end of the console. */
  awaitUp(instance: InstanceRef, options: AwaitUpOptions): Promise<void>;
  isUp(instance: InstanceRef, options?: CallOptions): Promise<boolean>;
  /** Runs as root, through the guest agent. `argv` is a program and its arguments, never a shell string. */
  runInGuest(
    instance: InstanceRef,
    argv: readonly [string, ...string[]],
    options: GuestRunOptions,
  ): Promise<GuestRunResult>;
  readClock(instance: InstanceRef, options?: CallOptions): Promise<GuestClockReading>;
  /** The instance's paths and ports on this machine, for logs, ssh and reading its disk. */
  readDetails(instance: InstanceRef): Promise<InstanceDetails>;
}

export interface LocalStandby extends Standby {
  /** Starts the instances that a command made, claimed or reimaged but did not start, because it was killed or failed. */
  continueUnfinished(pool: PoolRef, options?: CallOptions): Promise<ContinueResult>;
  /**
   * Discards and prepares standby instances until the pool has those that its policy names. One command at a time does that.
   */
  fillStandby(pool: PoolRef, options?: FillOptions): Promise<FillResult>;
  /** The same in the background, by a process that outlives this one. */
  refill(pool: PoolRef): Promise<void>;
}

export interface ContinueResult {
  claims: Claim[];
  /** Why the first that could not be started was not; the next call tries it again. */
  failure?: unknown;
}

export interface FillOptions extends CallOptions {
  /** `leave`: the command that does it now also prepares what we would; the result says so. Default: wait. */
  ifBusy?: 'wait' | 'leave' | undefined;
  /** Called for each instance that was discarded or prepared. */
  onStep?: ((text: string) => void) | undefined;
}

export interface FillResult {
  prepared: InstanceRef[];
  discarded: InstanceRef[];
  isBusy: boolean;
}

export interface QemuProvider extends VmProvider {
  pools: LocalPools;
  guests: Guests;
  standby: LocalStandby;
}

export interface InstanceDetails {
  folder: string;
  consoleLog: string;
  disk: string;
  /** When QEMU last started, on this machine's clock. */
  startedMs?: number;
  /** On 127.0.0.1; forwarded to the guest's ssh port. */
  sshPort?: number;
  /** On 127.0.0.1; forwarded to the kubelet, when the pool belongs to a cluster. */
  kubeletPort?: number;
  address: string;
}
