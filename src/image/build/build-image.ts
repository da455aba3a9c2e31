// image/build/build-image.ts: how is one image built? Its stages write a new folder, which replaces the old one when it is complete.
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

/** Fetches nothing. The old folder stays until the new one is complete. The caller makes sure that only one build of an image runs. */
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
  // Keep existing formats and test results of the same content.
  const before = await recordOfContent(folder, contentSha256);
  const all = FORMATS.filter((format) => formats.includes(format) || before?.files[diskName(format)]);
  const test = before && (await readTest(folder));
  await mkdir(out, { recursive: true });
  requireImageSpace(out, await statfsFree(out), neededFor(target, all));
  // Files of a container store may belong to users of a namespace.
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
  // Each format needs space; the raw disk exists until the qcow2 is written. Holes need no space.
  const disks = Math.max(formats.length, formats.includes('qcow2') ? 2 : 1);
  const bytes = disks * Math.min(lock.disk.budgetMb, lock.disk.sizeMb) * 2 ** 20;
  return { what: `the image ${lock.name} ${kubernetes}`, bytes, option: '--out' };
}
