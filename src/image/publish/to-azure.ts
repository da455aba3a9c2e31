// image/publish/to-azure.ts: publish a build to a gallery on Azure: upload the VHD to a page blob and create the version from it.
import { join } from 'node:path';
import { type Backoff, pauseMs } from '../../base/backoff.ts';
import type { CallOptions } from '../../base/call-options.ts';
import type { Clock } from '../../base/clock.ts';
import { TransientError, UserError } from '../../base/errors.ts';
import { Throttled } from '../../base/failures.ts';
import type { AzureGallery } from '../../vms/azure/azure-factory.ts';
import type { BuildRecord } from '../build/contract.ts';
import { imageDefinitionName, imageVersionName } from './names.ts';
import type { PageBlob } from './page-blob.ts';
import type { Destination, PublishGallery } from './publish.ts';
import { type UploadResult, uploadDisk } from './upload-disk.ts';

export const AZURE_DISK = 'disk.vhd';

export interface AzureDestinationDeps {
  gallery: PublishGallery & Pick<AzureGallery, 'beginVersionFromBlob'>;
  galleryName: string;
  region: string;
  clock: Clock;
  replicas: number;
  redundancy: 'zone' | 'local';
  /** Resource id of the storage account. */
  storageAccountId: string;
  openBlob(name: string, signal?: AbortSignal): Promise<PageBlob>;
  onUploaded?: (uploaded: UploadResult) => void;
}

export function azureDestination(deps: AzureDestinationDeps): Destination {
  const { gallery, galleryName, region, clock, replicas, redundancy, storageAccountId } = deps;
  return {
    gallery,
    galleryName,
    region,
    clock,
    disk: AZURE_DISK,
    files: [AZURE_DISK],
    way: 'firmware',
    async makeVersion({ folder, record }, definition, plan, options) {
      const blob = await deps.openBlob(blobName(record), options.signal);
      const disk = { file: join(folder, AZURE_DISK), ...record.files[AZURE_DISK]! };
      const uploaded = await uploadWithRetries(clock, options, () => uploadDisk(blob, disk, options));
      deps.onUploaded?.(uploaded);
      await gallery.beginVersionFromBlob(
        {
          definition,
          name: plan.version,
          region,
          replicas,
          redundancy,
          isExcludedFromLatest: true,
          tags: plan.tags,
          blob: { uri: blob.url, storageAccountId },
        },
        options,
      );
    },
  };
}

const TRIES = 5;
const BACKOFF: Backoff = { firstMs: 5_000 };

/** Retries transient errors. Each retry skips the bytes that already arrived. */
async function uploadWithRetries(
  clock: Clock,
  { signal, onWaiting }: CallOptions,
  upload: () => Promise<UploadResult>,
): Promise<UploadResult> {
  for (let tries = 1; ; tries++) {
    try {
      return await upload();
    } catch (cause) {
      if (!(cause instanceof TransientError)) throw cause;
      if (tries === TRIES)
        throw new UserError(`the upload failed ${TRIES} times, last with: ${cause.message}`, {
          code: 'image/upload-cut-off',
          kept: 'The uploaded part stays in the blob.',
          next: 'run the same command again: it continues from there',
          exitCode: 4,
          cause,
        });
      const waitMs = pauseMs(tries, BACKOFF, cause instanceof Throttled ? cause : {});
      onWaiting?.(`${cause.message}: trying again in ${Math.ceil(waitMs / 1000)} s`);
      await clock.sleep(waitMs, signal);
    }
  }
}

/** Contains the content hash, so that two builds with the same name use different blobs. */
export function blobName({ name, kubernetes, base, contentSha256 }: BuildRecord): string {
  return `${imageDefinitionName(name, kubernetes)}-${imageVersionName(base)}-${contentSha256.slice(0, 12)}.vhd`;
}
