// image/publish/to-azure.testing.ts: a gallery on Azure for tests: versions come from the fake, and the blob is in memory.
import { fakeClock } from '../../base/fake-clock.ts';
import type { BlobVersionSpec } from '../../vms/azure/versions.ts';
import { fakeFactory } from '../../vms/fake/fake-factory.ts';
import { fakeBlob } from './testing.ts';
import { azureDestination } from './to-azure.ts';

export function aDestination() {
  const clock = fakeClock();
  const factory = fakeFactory(clock);
  const blob = fakeBlob();
  const begun: BlobVersionSpec[] = [];
  const destination = azureDestination({
    gallery: {
      ...factory.gallery,
      async beginVersionFromBlob(spec) {
        begun.push(spec);
        // The fake creates versions from snapshots, so this snapshot represents the blob.
        factory.state.snapshots.set('blob', {
          ...{ name: 'blob', id: spec.blob.uri, state: 'complete', percent: 100, sourceDiskId: '', createdMs: 0 },
          ...{ tags: {}, isSealed: true },
        });
        await factory.gallery.beginVersion({ ...spec, snapshotId: spec.blob.uri });
      },
    },
    galleryName: 'images',
    region: 'westeurope',
    clock,
    replicas: 2,
    redundancy: 'local',
    storageAccountId: '/account',
    openBlob: async () => blob,
  });
  return { clock, factory, blob, begun, destination };
}
