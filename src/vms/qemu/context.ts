// vms/qemu/context.ts: what does everything about local pools need of the world? Passed in, so that tests can replace it.
import type { CallOptions } from '../../base/call-options.ts';
import type { Clock } from '../../base/clock.ts';
import type { RunCommand } from '../../base/command.ts';
import type { GuestAgent } from './guest/guest-agent.ts';
import type { Accelerator } from './machine/command-line.ts';
import type { Machines } from './machine/machines.ts';
import type { JoinCluster } from './pools/join-cluster.ts';

/** A flattened copy of a disk (raw) and what boots it; the copy is edited in place. */
export interface DiskCopy {
  disk: string;
  vmlinux: string;
  initrd: string;
  workFolder: string;
  /** `PARTUUID=…`, where the disk is not one file system. */
  root?: string;
}

/** The folder that holds all pools, images and snapshots. */
export interface Home {
  home: string;
}

export interface QemuOptions extends Home {
  clock: Clock;
  run: RunCommand;
  /** Answers a guest's connection to the metadata service on stdin and stdout; run in the instance's folder, which is its last argument. */
  metadataCommand: readonly [string, ...string[]];
  /** Joins stdin and stdout with the host and port that are appended. */
  relayCommand: readonly [string, ...string[]];
  /** Takes the donor's identity off the copy before it is published. */
  scrub?: (copy: DiskCopy, options: CallOptions) => Promise<void>;
  /** How long a guest may take to stop by itself before it is ended. */
  stopGraceMs?: number;
  /** Without it the machine is asked. */
  accelerator?: Accelerator;
  /** Without it, pools of a cluster can be looked at and no more. */
  joinCluster?: JoinCluster;
  /** off: versions made here boot without cloud-init. */
  cloudInit?: 'off';
}

export interface QemuContext extends QemuOptions {
  stopGraceMs: number;
  machines: Machines;
  agent: GuestAgent;
  newVmId: () => string;
  freeBytes: (folder: string) => Promise<number>;
}
