// vms/qemu/qemu-provider.ts: which function implements each contract method on this machine? Pools are folders, instances QEMU processes.
import { randomUUID } from 'node:crypto';
import { resolve } from 'node:path';
import { statfsFree } from '../../host/disk-space.ts';
import { boundTo } from '../bound-to.ts';
import type { QemuContext, QemuOptions } from './context.ts';
import { guestAgent } from './guest/guest-agent.ts';
import { readClock, runInInstance } from './guest/instance-guest.ts';
import { awaitUp, isUp } from './guest/up.ts';
import { referencedImages } from './home/references.ts';
import {
  deleteDefinition,
  deleteGallery,
  ensureDefinition,
  listDefinitions,
  readDefinition,
} from './images/galleries.ts';
import { beginVersion } from './images/make-version.ts';
import { createSnapshot, deleteSnapshot, readSnapshot } from './images/snapshots.ts';
import { deleteVersion, listVersions, readVersion, setExcludedFromLatest, tagVersion } from './images/versions.ts';
import type { QemuProvider } from './local-provider.ts';
import { qemuMachines } from './machine/machines.ts';
import { claim, continueUnfinished, deleteInstance, setCapacity } from './pools/capacity.ts';
import { reimage, setProtection, setUserData, tagInstance } from './pools/change-instance.ts';
import { changeModel, readModel, tagPool } from './pools/change-model.ts';
import { listInstances, locate, locateAll, parsedProviderId, readDetails, readInstance } from './pools/instances.ts';
import { createPool, deletePool, findPool, listPools, readPool, readSpec } from './pools/pools.ts';
import { deallocate, start, stop } from './pools/power.ts';
import { requireDistinct } from './standby/identity-gate.ts';
import { deleteStandby, fillStandby, readStandby, refill, setStandby } from './standby/keep-standby.ts';

const STOP_GRACE_MS = 90_000;

/** Keeps no state in memory: any number of commands may use one home at the same time. */
export function createQemuProvider(options: QemuOptions): QemuProvider {
  const context: QemuContext = {
    stopGraceMs: STOP_GRACE_MS,
    ...options,
    home: resolve(options.home),
    machines: qemuMachines(options.clock),
    agent: guestAgent,
    newVmId: randomUUID,
    freeBytes: statfsFree,
    async checkStandby(ref, call) {
      await options.checkStandby?.(ref, call);
      await requireDistinct(context, ref, call);
    },
  };
  return providerIn(context);
}

/** Takes the machines from the context, so that tests can replace them. */
export function providerIn(context: QemuContext): QemuProvider {
  return {
    pools: boundTo(context, {
      ...{ locate, parseProviderId: parsedProviderId, locateAll, findPool, readPool, readInstance, listInstances },
      ...{ stop, deallocate, start, setProtection, tagInstance, tagPool },
      ...{ createPool, listPools, deletePool, readSpec, setCapacity, deleteInstance, reimage, setUserData },
    }),
    guests: boundTo(context, { awaitUp, isUp, runInGuest: runInInstance, readClock, readDetails }),
    snapshots: boundTo(context, { readSnapshot, createSnapshot, deleteSnapshot }),
    gallery: boundTo(context, {
      ...{ readDefinition, ensureDefinition, listDefinitions, deleteDefinition, deleteGallery },
      ...{ listVersions, readVersion, beginVersion, setExcludedFromLatest, tagVersion, deleteVersion },
      referencedImages,
    }),
    standby: boundTo(context, {
      readStandby,
      setStandby,
      deleteStandby,
      claim,
      continueUnfinished,
      fillStandby,
      refill,
    }),
    publisher: boundTo(context, { readModel, changeModel }),
  };
}
