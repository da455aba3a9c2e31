// vms/qemu/context.ts: which I/O, commands and settings do local pools depend on? Passed in, so that tests can replace them.
import type { CallOptions } from '../../base/call-options.ts';
import type { Clock } from '../../base/clock.ts';
import type { RunCommand } from '../../base/command.ts';
import type { InstanceRef, PoolRef } from '../pools.ts';
import type { GuestAgent } from './guest/guest-agent.ts';
import type { Accelerator } from './machine/command-line.ts';
import type { Machines } from './machine/machines.ts';
import type { JoinCluster } from './pools/join-cluster.ts';

/** A flattened raw copy of a disk, and the kernel and initrd that boot it. The copy is edited in place. */
export interface DiskCopy {
  disk: string;
  vmlinux: string;
  initrd: string;
  workFolder: string;
  /** `PARTUUID=…` when the disk has partitions. */
  root?: string;
}

/** The folder that holds all pools, images and snapshots. */
export interface Home {
  home: string;
}

export interface QemuOptions extends Home {
  clock: Clock;
  run: RunCommand;
  /** Serves one guest connection to the metadata service on stdin and stdout. Runs in the instance's folder, which is its last argument. */
  metadataCommand: readonly [string, ...string[]];
  /** Connects stdin and stdout with the host and port that follow as arguments. */
  relayCommand: readonly [string, ...string[]];
  /** Removes the donor's identity from the copy before it is published. */
  scrub?: (copy: DiskCopy, options: CallOptions) => Promise<void>;
  /** How long a guest may take to shut down before QEMU is terminated. */
  stopGraceMs?: number;
  /** Default: detected (see machine/accelerator.ts). */
  accelerator?: Accelerator;
  /** Without it, pools of a cluster are read-only. */
  joinCluster?: JoinCluster;
  /** Called with an instance that is up, before it is parked. Throws when it must not become a standby instance. */
  checkStandby?: (instance: InstanceRef, options: CallOptions) => Promise<void>;
  /** Starts to prepare the standby instances that a claim has taken, and does not wait. */
  refill?: (pool: PoolRef) => void;
  /** `off`: versions made from snapshots boot without cloud-init. */
  cloudInit?: 'off';
}

export interface QemuContext extends QemuOptions {
  stopGraceMs: number;
  machines: Machines;
  agent: GuestAgent;
  newVmId: () => string;
  freeBytes: (folder: string) => Promise<number>;
}
