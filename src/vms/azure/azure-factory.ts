// vms/azure/azure-factory.ts: the VM factory that is Azure: scale sets are pools, compute galleries hold the versions. Start here; each file beside answers one question.
import type { CallOptions } from '../../base/call-options.ts';
import type { Factory } from '../factory.ts';
import { changeModel, readRecipe } from './change-model.ts';
import { type Call, connect, type Edges } from './connect/connection.ts';
import type { AzureSettings } from './connect/settings.ts';
import { deleteDefinition, deleteGallery, ensureDefinition, listDefinitions, readDefinition } from './galleries.ts';
import { instancesOfSet, type KnownSpot, listInstances, locateInstance, readInstance } from './instances.ts';
import { setProtection, tagInstance } from './mark-instance.ts';
import { tagPool } from './mark-pool.ts';
import { type KnownHardware, poolScaleSet, readPool } from './pools.ts';
import { deallocate, powerOff, start } from './power.ts';
import { referencedImages } from './references.ts';
import { createSnapshot, deleteSnapshot, readSnapshot } from './snapshots.ts';
import {
  type BlobVersionSpec,
  beginVersion,
  deleteVersion,
  listVersions,
  readVersion,
  setExcludedFromLatest,
  tagVersion,
} from './versions.ts';

/** What Azure can do beyond what every factory can. */
export interface AzureFactory extends Factory {
  /** As `beginVersion`, of a disk in a storage account. */
  beginVersionFromBlob(spec: BlobVersionSpec, options?: CallOptions): Promise<void>;
}

/** Nothing is loaded, and nobody logs in, before the first call. */
export function createAzureFactory(settings: AzureSettings, edges: Edges): AzureFactory {
  const connection = connect(settings, edges);
  const hardware: KnownHardware = new Map();
  const spot: KnownSpot = new Map();
  /** Groups that pools were seen in: where to look when the subscription as a whole may not be listed. */
  const groups = new Set([settings.resourceGroup.toLowerCase()]);
  const within = async <T>(options: CallOptions | undefined, run: (call: Call) => Promise<T>): Promise<T> =>
    run(await connection.open(options));

  return {
    locate: (providerId, options) => within(options, (call) => locateInstance(call, providerId)),
    readPool: (pool, options) =>
      within(options, (call) => {
        groups.add(poolScaleSet(pool).resourceGroup.toLowerCase());
        return readPool(call, pool, hardware, (set) => instancesOfSet(call, set));
      }),
    readInstance: (instance, options) => within(options, (call) => readInstance(call, instance, spot)),
    listInstances: (pool, options) => within(options, (call) => listInstances(call, pool)),

    stop: (instance, options) => within(options, (call) => powerOff(call, instance)),
    stopAndRelease: (instance, options) => within(options, (call) => deallocate(call, instance)),
    start: (instance, options) => within(options, (call) => start(call, instance)),
    setProtection: (instance, protection, options) =>
      within(options, (call) => setProtection(call, instance, protection)),
    tagInstance: (instance, tags, options) => within(options, (call) => tagInstance(call, instance, tags)),

    readSnapshot: (name, options) => within(options, (call) => readSnapshot(call, name)),
    createSnapshot: (spec, options) => within(options, (call) => createSnapshot(call, spec)),
    deleteSnapshot: (name, options) => within(options, (call) => deleteSnapshot(call, name)),

    readDefinition: (gallery, name, options) => within(options, (call) => readDefinition(call, gallery, name)),
    ensureDefinition: (spec, region, options) => within(options, (call) => ensureDefinition(call, spec, region)),
    listDefinitions: (gallery, options) => within(options, (call) => listDefinitions(call, gallery)),
    listVersions: (definition, options) => within(options, (call) => listVersions(call, definition)),
    readVersion: (definition, version, options) => within(options, (call) => readVersion(call, definition, version)),
    beginVersion: (spec, options) => within(options, (call) => beginVersion(call, spec)),
    beginVersionFromBlob: (spec, options) => within(options, (call) => beginVersion(call, spec)),
    setExcludedFromLatest: (definition, version, isExcluded, options) =>
      within(options, (call) => setExcludedFromLatest(call, definition, version, isExcluded)),
    tagVersion: (definition, version, tags, options) =>
      within(options, (call) => tagVersion(call, definition, version, tags)),
    deleteVersion: (definition, version, options) =>
      within(options, (call) => deleteVersion(call, definition, version)),
    deleteDefinition: (definition, options) => within(options, (call) => deleteDefinition(call, definition)),
    deleteGallery: (gallery, options) => within(options, (call) => deleteGallery(call, gallery)),

    readRecipe: (pool, options) => within(options, (call) => readRecipe(call, pool)),
    changeModel: (pool, change, options) => within(options, (call) => changeModel(call, pool, change)),
    tagPool: (pool, tags, options) => within(options, (call) => tagPool(call, pool, tags)),
    referencedImages: (definition, options) => within(options, (call) => referencedImages(call, definition, groups)),
  };
}
