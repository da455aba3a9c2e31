// image/build/stages/write-disk.ts: make the disk around the root file system, in each requested format.
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { diskName, makeDisk } from '../disk/disk.ts';
import { versionStage } from './version-stage.ts';

export const writeDisk = versionStage({
  id: 'disk',
  title: 'make the disk',
  done: 'disk made',
  needs: ['content'],
  gives: ['disk'],
  async make({ files, formats, ...deps }, { content }) {
    const { root, sizeBytes } = await makeDisk(content.image, { ...deps, want: formats });
    if (!formats.includes('raw')) await rm(join(files, diskName('raw')), { force: true });
    return { disk: { root, sizeBytes } };
  },
});
