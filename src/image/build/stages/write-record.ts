// image/build/stages/write-record.ts: write the build record and make all files read-only.
import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { imageVersionLabel } from '../../publish/names.ts';
import { BUILD_RECORD } from '../build-folder.ts';
import type { BuildRecord, ImageTarget, StageOutputs } from '../contract.ts';
import { kernelCommandLine } from '../disk/boot-files.ts';
import { versionStage } from './version-stage.ts';

export const writeBuildRecord = versionStage({
  id: 'record',
  title: 'write the build record',
  done: 'record written',
  needs: ['content', 'disk', 'names', 'sums'],
  gives: ['record'],
  async make({ target, contentSha256, files }, made) {
    const record = buildRecordOf(target, contentSha256, made);
    await writeFile(join(files, BUILD_RECORD), `${JSON.stringify(record, null, 2)}\n`);
    for (const name of [...made.names, BUILD_RECORD]) await chmod(join(files, name), 0o444);
    return { record };
  },
});

export function buildRecordOf(
  { lock, kubernetes }: ImageTarget,
  contentSha256: string,
  { content: { image }, disk, sums }: Pick<StageOutputs, 'content' | 'disk' | 'sums'>,
): BuildRecord {
  return {
    apiVersion: 'headstart.dev/v1',
    kind: 'ImageBuild',
    name: lock.name,
    version: imageVersionLabel(kubernetes, lock.base),
    kubernetes,
    architecture: lock.architecture,
    contentSha256,
    base: { origin: lock.base.origin, date: lock.base.date, patch: lock.base.patch },
    kernelRelease: image.kernel.release,
    kernelArgs: kernelCommandLine(disk.root, image.kernel.args),
    root: disk.root,
    contentBytes: image.contentBytes,
    diskBytes: disk.sizeBytes,
    files: sums,
  };
}
