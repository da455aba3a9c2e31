// cli/compose/standby-site.ts: what do the standby verbs need of the pools that they work on?
import type { CallOptions } from '../../base/call-options.ts';
import type { awaitAllUp } from '../../local/await-up.ts';
import type { Instance, PoolRef } from '../../vms/pools.ts';
import type { QemuProvider } from '../../vms/qemu/local-provider.ts';
import type { Standby } from '../../vms/standby.ts';

type FillOptions = Parameters<QemuProvider['standby']['fillStandby']>[1];
type ReadyOptions = Parameters<typeof awaitAllUp>[2];

export interface StandbySite {
  find(name: string, options: CallOptions): Promise<{ ref: PoolRef }>;
  list(options: CallOptions): Promise<{ ref: PoolRef }[]>;
  standby: Standby & {
    /** Waits until the pool keeps what its policy says. */
    fillStandby(pool: PoolRef, options?: FillOptions): Promise<{ isBusy?: boolean }>;
    refill(pool: PoolRef): Promise<void>;
  };
  /** Absent: the verb does not know the cluster of these nodes, and returns once they are started. */
  awaitReady?(instances: Instance[], waiting: ReadyOptions): Promise<unknown>;
}
