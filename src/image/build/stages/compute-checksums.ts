// image/build/stages/compute-checksums.ts: compute the checksum of every published file, those of disks in worker threads.
import { join } from 'node:path';
import { checksumFile, type FileSum } from '../../../host/file-sum.ts';
import { dataRanges } from '../disk/data-ranges.ts';
import { isDiskName } from '../disk/disk.ts';
import { sumInWorker } from '../sum-in-worker.ts';
import { versionStage } from './version-stage.ts';

export const computeChecksums = versionStage({
  id: 'checksums',
  title: 'compute the checksums',
  done: 'checksums',
  needs: ['names'],
  gives: ['sums'],
  async make({ files, run, signal, onWaiting }, { names }) {
    onWaiting?.('the checksums');
    const sums = await Promise.all(
      names.map(async (name): Promise<[string, FileSum]> => {
        const file = join(files, name);
        if (!isDiskName(name)) return [name, await checksumFile(file, signal)];
        return [name, await sumInWorker({ file, ranges: await dataRanges(file, run, signal), signal })];
      }),
    );
    return { sums: Object.fromEntries(sums.map(([name, { sha256, bytes }]) => [name, { sha256, bytes }])) };
  },
});
