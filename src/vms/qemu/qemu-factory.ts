// vms/qemu/qemu-factory.ts: the VM factory that is this machine: pools are folders, instances QEMU processes. Start here; each file beside answers one question.
import { randomUUID } from 'node:crypto';
import { resolve } from 'node:path';
import { statfsFree } from '../../host/disk-space.ts';
import type { QemuContext, QemuOptions } from './context.ts';
import { readGuestClock, runInGuest } from './guest/guest.ts';
import { guestAgent } from './guest/guest-agent.ts';
import { awaitUp, isUp } from './guest/up.ts';
import { instanceRecordOf, poolRecordOf } from './home/instance-records.ts';
import { instanceFolder } from './home/layout.ts';
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
import type { QemuFactory } from './local-factory.ts';
import { qemuMachines } from './machine/machines.ts';
import { deleteInstance, setCapacity } from './pools/capacity.ts';
import { reimage, setProtection, setUserData, tagInstance } from './pools/change-instance.ts';
import { changeModel, readRecipe, tagPool } from './pools/change-model.ts';
import { listInstances, locateInstance, placeOf, readInstance } from './pools/instances.ts';
import { createPool, deletePool, listPools, readPool } from './pools/pools.ts';
import { releaseInstance, startInstance, stopInstance } from './pools/power.ts';

const STOP_GRACE_MS = 90_000;

/** Nothing is kept in memory: any number of commands may use one home at once. */
export function createQemuFactory(options: QemuOptions): QemuFactory {
  return factoryIn({
    stopGraceMs: STOP_GRACE_MS,
    ...options,
    home: resolve(options.home),
    machines: qemuMachines(options.clock),
    agent: guestAgent,
    newVmId: randomUUID,
    freeBytes: statfsFree,
  });
}

/** The same on any machines: tests bring their own. */
export function factoryIn(context: QemuContext): QemuFactory {
  const { home } = context;
  /** Where an instance that exists is. */
  const folderOf = (ref: Parameters<QemuFactory['isUp']>[0]) => {
    instanceRecordOf(home, ref);
    return instanceFolder(home, ref);
  };
  return {
    locate: (providerId) => locateInstance(home, providerId),
    readPool: (pool) => readPool(home, pool),
    readInstance: (instance) => readInstance(context, instance),
    listInstances: (pool) => listInstances(context, pool),

    stop: (instance, options) => stopInstance(context, instance, options),
    stopAndRelease: (instance, options) => releaseInstance(context, instance, options),
    start: (instance, options) => startInstance(context, instance, options),
    setProtection: (instance, protection, options) => setProtection(context, instance, protection, options),
    tagInstance: (instance, tags, options) => tagInstance(context, instance, tags, options),

    readSnapshot: (name) => readSnapshot(home, name),
    createSnapshot: (spec, options) => createSnapshot(context, spec, options),
    deleteSnapshot: (name, options) => deleteSnapshot(home, name, options),

    readDefinition: (gallery, name) => readDefinition(home, gallery, name),
    ensureDefinition: (spec, _region, options) => ensureDefinition(home, spec, options),
    listDefinitions: (gallery) => listDefinitions(home, gallery),
    listVersions: (definition) => listVersions(home, definition),
    readVersion: (definition, version) => readVersion(home, definition, version),
    beginVersion: (spec, options) => beginVersion(context, spec, options),
    setExcludedFromLatest: (definition, version, isExcluded, options) =>
      setExcludedFromLatest(home, definition, version, isExcluded, options),
    tagVersion: (definition, version, tags, options) => tagVersion(home, definition, version, tags, options),
    deleteVersion: (definition, version, options) => deleteVersion(home, definition, version, options),
    deleteDefinition: (definition, options) => deleteDefinition(home, definition, options),
    deleteGallery: (gallery, options) => deleteGallery(home, gallery, options),

    readRecipe: (pool) => readRecipe(home, pool),
    changeModel: (pool, change, options) => changeModel(context, pool, change, options),
    tagPool: (pool, tags, options) => tagPool(context, pool, tags, options),
    referencedImages: async (definition) => referencedImages(home, definition),

    createPool: (spec, options) => createPool(context, spec, options),
    listPools: () => listPools(home),
    deletePool: (pool, options) => deletePool(context, pool, options),
    readSpec: async (pool) => poolRecordOf(home, pool).spec,
    setCapacity: (pool, capacity, options) => setCapacity(context, pool, capacity, options),
    deleteInstance: (instance, options) => deleteInstance(context, instance, options),
    reimage: (instance, options) => reimage(context, instance, options),
    setUserData: (target, userData, options) => setUserData(context, target, userData, options),

    awaitUp: (instance, options) => awaitUp(context, instance, options),
    isUp: (instance, options) => isUp(context, instance, options),
    runInGuest: async (instance, argv, options) => runInGuest(context, folderOf(instance), argv, options),
    readClock: async (instance, options) => readGuestClock(context, folderOf(instance), options?.signal),
    placeOf: (instance) => placeOf(context, instance),
  };
}
