// image/build/stages/write-root.ts: write the content that all images share into the root partition of the disk.
import { join } from 'node:path';
import { diskName } from '../disk/disk.ts';
import { layoutFor, rootBytesFor } from '../disk/disk-layout.ts';
import { baseLayer } from '../layers/base-layer.ts';
import { sharedLayer } from '../layers/shared-layer.ts';
import { versionStage } from './version-stage.ts';

const MIB = 2 ** 20;

/** Written directly into the partition of a new disk, so that a large file system is written only once. */
export const writeRoot = versionStage({
  id: 'root',
  title: 'write the root file system',
  needs: [],
  gives: ['root'],
  async make({ target, files, ...deps }) {
    const { root } = layoutFor(rootBytesFor(target.lock.disk.sizeMb * MIB));
    const place = { file: join(files, diskName('raw')), startBytes: root.startBytes };
    const shared = sharedLayer(target, baseLayer(target.lock, deps.tools));
    return { root: { place, bytes: root.bytes, placed: await shared.copyTo(place, deps) } };
  },
});
