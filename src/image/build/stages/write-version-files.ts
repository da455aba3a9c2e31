// image/build/stages/write-version-files.ts: write the files of one Kubernetes version to the root file system, and measure its content.
import { join } from 'node:path';
import { runTool } from '../../../host/run-tool.ts';
import { artifactsOf } from '../../lock/content-hash.ts';
import { imageRootRunner } from '../as-root.ts';
import type { BaseContent, ImageTarget } from '../contract.ts';
import { KERNEL_ARGS } from '../disk/boot-files.ts';
import { derivedId } from '../disk/derived-id.ts';
import { onPlace } from '../disk/ext4-place.ts';
import { putFiles } from '../disk/put-files.ts';
import { epochOf } from '../epoch.ts';
import { LABEL } from '../files/node-files.ts';
import { checkSizeBudget } from '../files/size-budget.ts';
import { layOutVersion } from '../files/version-files.ts';
import { versionStage } from './version-stage.ts';

export const writeVersionFiles = versionStage({
  id: 'version-files',
  title: 'write the files of this version',
  done: 'files of this version written',
  needs: ['base', 'root'],
  gives: ['content'],
  async make({ target, contentSha256, ...deps }, { base, root }) {
    const { folder, run, isRoot, signal, onWaiting } = deps;
    const { place, bytes } = root;
    const epochSec = epochOf(target.lock.base);
    onWaiting?.('the files of this version');
    const facts = { contentSha256, kernelRelease: base.kernel.release };
    const { files, placed, release } = await layOutVersion(target, facts, epochSec, deps);
    const put = { run: await imageRootRunner(run, isRoot), folder: join(folder, 'files'), epochSec, signal };
    await putFiles(place, files, put);
    const uuid = derivedId(contentSha256, 'root file system');
    await runTool(run, onPlace(place, epochSec, ['tune2fs', '-U', uuid]), signal);
    const contentBytes = usedBytes(await runTool(run, onPlace(place, epochSec, ['dumpe2fs', '-h']), signal));
    const kernel = { ...base.kernel, args: KERNEL_ARGS };
    const image = { place, bytes, uuid, label: LABEL, kernel, contentBytes };
    const warnings = warningsOf(target, base, contentBytes);
    return { content: { image, release, placed: [...root.placed, ...placed], warnings } };
  },
});

/** Throws if the content exceeds the budget of the lock. */
function warningsOf({ lock, kubernetes }: ImageTarget, { packages }: BaseContent, contentBytes: number): string[] {
  const others = artifactsOf(lock, kubernetes).filter(({ kind }) => kind !== 'deb');
  const contributors = [...packages, ...others.map(({ component: name, bytes }) => ({ name, bytes }))];
  const warning = checkSizeBudget(contentBytes, lock.disk, contributors);
  return warning === undefined ? [] : [warning];
}

/** Parses the output of dumpe2fs. */
export function usedBytes(facts: string): number {
  const field = (name: string) => Number(new RegExp(`^${name}: +(\\d+)$`, 'm').exec(facts)?.[1]);
  const used = (field('Block count') - field('Free blocks')) * field('Block size');
  if (Number.isInteger(used) && used > 0) return used;
  throw new Error('dumpe2fs does not report the used blocks');
}
