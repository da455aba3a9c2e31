// vms/azure/azure-provider.ts: which function implements each contract method on Azure? Scale sets are pools, compute galleries hold the versions.
import type { CallOptions } from '../../base/call-options.ts';
import { boundTo } from '../bound-to.ts';
import type { Gallery } from '../gallery.ts';
import type { PoolRef, Pools } from '../pools.ts';
import type { VmProvider } from '../provider.ts';
import { checkAccess } from './access/check-access.ts';
import { azureOf } from './azure.ts';
import { changeModel, readModel } from './change-model.ts';
import type { AzureDeps } from './connect/connection.ts';
import type { AzureSettings } from './connect/settings.ts';
import { deleteDefinition, deleteGallery, ensureDefinition, listDefinitions, readDefinition } from './galleries.ts';
import { listInstances, readInstance } from './instances.ts';
import { locate, locateAll, parsedProviderId } from './locate.ts';
import { setProtection, tagInstance } from './mark-instance.ts';
import { tagPool } from './mark-pool.ts';
import { findPool, listPools, readPool } from './pools.ts';
import { deallocate, start, stop } from './power.ts';
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

export interface AzureGallery extends Gallery {
  /** Like `beginVersion`, from a disk in a storage account. */
  beginVersionFromBlob(spec: BlobVersionSpec, options?: CallOptions): Promise<void>;
}

export interface AzurePools extends Pools {
  /** Of the settings' resource group; they may belong to several clusters. */
  listPools(options?: CallOptions): Promise<PoolRef[]>;
}

export interface AzureProvider extends VmProvider {
  pools: AzurePools;
  gallery: AzureGallery;
}

/** Loads the SDK and logs in with the first call. */
export function createAzureProvider(settings: AzureSettings, deps: AzureDeps): AzureProvider {
  const azure = azureOf(settings, deps);
  return {
    pools: boundTo(azure, {
      ...{
        locate,
        parseProviderId: parsedProviderId,
        locateAll,
        findPool,
        listPools,
        readPool,
        readInstance,
        listInstances,
      },
      ...{ stop, deallocate, start, setProtection, tagInstance, tagPool },
    }),
    snapshots: boundTo(azure, { readSnapshot, createSnapshot, deleteSnapshot }),
    gallery: boundTo(azure, {
      ...{ readDefinition, ensureDefinition, listDefinitions, deleteDefinition, deleteGallery },
      ...{ listVersions, readVersion, beginVersion, beginVersionFromBlob: beginVersion, setExcludedFromLatest },
      ...{ tagVersion, deleteVersion, referencedImages },
    }),
    publisher: boundTo(azure, { readModel, changeModel }),
    ...boundTo(azure, { checkAccess }),
  };
}
