// image/build/build-image.ts: one image of a lock: its stages write a new folder, which takes the place of the old one when it is whole.
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { statfsFree } from '../../host/disk-space.ts';
import { runTool } from '../../host/run-tool.ts';
import { readTest, writeTest } from '../test/record.ts';
import { keepBootsOf } from '../test/verdict.ts';
import { imageRootRunner } from './as-root.ts';
import type { ImageBuildDeps, ImageTarget, StageOutputs } from './contract.ts';
import { diskName, FORMATS, type Format } from './disk/disk.ts';
import { type BuiltImage, buildFolder, recordOfContent } from './find-image.ts';
import { reportingFullDisk, requireImageSpace, type SpaceRequirement } from './free-space.ts';
import { imageContent } from './image-content.ts';
import { PER_VERSION } from './pipeline.ts';
import { replaceFolder } from './replace-folder.ts';
import { type BuildReporter, runVersionStages } from './run-stages.ts';
import type { Places, VersionStage } from './stage.ts';

export type MachineDeps = Omit<ImageBuildDeps, 'folder' | 'onWaiting' | 'onDone'>;

export interface ImageOutput extends Pick<Places, 'out' | 'formats'> {
  stages?: readonly VersionStage[];
}

/** Nothing is fetched. What was in its place stays until the new one is whole. One at a time for each image. */
export async function buildOneImage(
  target: ImageTarget,
  shared: Partial<StageOutputs>,
  { out, formats, stages = PER_VERSION }: ImageOutput,
  deps: MachineDeps,
  reporter: BuildReporter,
): Promise<BuiltImage> {
  reporter.onBegin?.(target.kubernetes);
  const contentSha256 = await imageContent(target, deps.tools);
  const folder = buildFolder(target, out);
  // The same content in other formats, and what a test has found out about it, is worth as much as before.
  const before = await recordOfContent(folder, contentSha256);
  const all = FORMATS.filter((format) => formats.includes(format) || before?.files[diskName(format)]);
  const test = before && (await readTest(folder));
  await mkdir(out, { recursive: true });
  requireImageSpace(out, await statfsFree(out), neededFor(target, all));
  // What a container store is made of may belong to a namespace's users.
  const runAsRoot = await imageRootRunner(deps.run, deps.isRoot);
  const remove = async (path: string) => {
    await runTool(runAsRoot, ['rm', '-rf', '--one-file-system', path]);
  };
  return reportingFullDisk(out, '--out', () =>
    replaceFolder(folder, remove, async (work) => {
      const [files, scratch] = [join(work, 'files'), join(work, 'scratch')];
      await mkdir(files);
      await mkdir(scratch, { mode: 0o700 });
      const version = { ...deps, target, contentSha256, formats: all, files, folder: scratch };
      const { record, content } = await runVersionStages(stages, version, shared, reporter);
      const good = test && keepBootsOf(test, record);
      if (good) writeTest(files, good);
      return { from: files, result: { folder, record, isNew: true, warnings: content.warnings } };
    }),
  );
}

function neededFor({ lock, kubernetes }: ImageTarget, formats: readonly Format[]): SpaceRequirement {
  // The disk in each format, and the raw one is there meanwhile; holes take no room.
  const disks = Math.max(formats.length, formats.includes('qcow2') ? 2 : 1);
  const bytes = disks * Math.min(lock.disk.budgetMb, lock.disk.sizeMb) * 2 ** 20;
  return { what: `the image ${lock.name} ${kubernetes}`, bytes, option: '--out' };
}
