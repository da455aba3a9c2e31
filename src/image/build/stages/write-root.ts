// image/build/stages/write-root.ts: write what all images share to the place of the root file system on the disk.
import { join } from 'node:path';
import { diskName } from '../disk/disk.ts';
import { layoutFor, rootBytesFor } from '../disk/disk-layout.ts';
import { baseLayer } from '../layers/base-layer.ts';
import { sharedLayer } from '../layers/shared-layer.ts';
import { versionStage } from './version-stage.ts';

const MIB = 2 ** 20;

/** In its partition of a new disk: large as it is, it is written once. */
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
