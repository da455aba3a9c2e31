// image/build/root-image.ts: the base and what one patch version adds to it become the root file system of an image.
import { join } from 'node:path';
import { runTool } from '../../host/run-tool.ts';
import { artifactsOf } from '../lock/content-hash.ts';
import { imageRootRunner } from './as-root.ts';
import { type BaseLayer, epochOf } from './base/base-layer.ts';
import type { BuildEdges, RootImage, Target } from './contract.ts';
import { derivedId } from './disk/derived-id.ts';
import { layoutFor, rootBytesFor } from './disk/disk-layout.ts';
import { onPlace } from './disk/ext4-place.ts';
import { putFiles } from './disk/put-files.ts';
import { LABEL } from './files/node-files.ts';
import type { PlacedFile } from './files/placed-files.ts';
import { checkBudget } from './files/size-budget.ts';
import { versionFiles } from './files/version-files.ts';
import { takeShared } from './shared-layer.ts';

const MIB = 2 ** 20;

export interface MadeRoot extends RootImage {
  release: string;
  /** On it, of components. */
  placed: readonly PlacedFile[];
  /** What the reader should know, such as that it is nearly too large. */
  warnings: readonly string[];
}

/**
 * For clouds: the serial console is where they look, and a kernel that has panicked starts again. What the kernel does against faults of
 * processors stays on.
 */
export const KERNEL_ARGS = ['console=ttyS0,115200n8', 'quiet', 'panic=10'];

/** `disk`: a new file, in which it gets its partition's place: large as it is, it is written once. */
export async function makeRoot(
  target: Target,
  layer: BaseLayer,
  { contentSha256, disk }: { contentSha256: string; disk: string },
  edges: BuildEdges,
): Promise<MadeRoot> {
  const { folder, run, isRoot, signal, onWaiting, onDone } = edges;
  const { lock, kubernetes } = target;
  const epochSec = epochOf(lock.base);
  const { root } = layoutFor(rootBytesFor(lock.disk.sizeMb * MIB));
  const place = { file: disk, startBytes: root.startBytes };
  const shared = await takeShared(target, layer, place, edges);
  onWaiting?.('the files of this version');
  const { files, placed, release } = await versionFiles(
    target,
    { contentSha256, kernelRelease: layer.kernel.release },
    epochSec,
    edges,
  );
  await putFiles(place, files, {
    run: await imageRootRunner(run, isRoot),
    folder: join(folder, 'files'),
    epochSec,
    signal,
  });
  const uuid = derivedId(contentSha256, 'root file system');
  await runTool(run, onPlace(place, epochSec, ['tune2fs', '-U', uuid]), signal);
  const contentBytes = usedBytes(await runTool(run, onPlace(place, epochSec, ['dumpe2fs', '-h']), signal));
  onDone?.('files of this version written');
  const others = artifactsOf(lock, kubernetes).filter(({ kind }) => kind !== 'deb');
  const warning = checkBudget(contentBytes, lock.disk, [
    ...layer.packages,
    ...others.map(({ component: name, bytes }) => ({ name, bytes })),
  ]);
  return {
    place,
    bytes: root.bytes,
    uuid,
    label: LABEL,
    kernel: { ...layer.kernel, args: KERNEL_ARGS },
    contentBytes,
    release,
    placed: [...shared, ...placed],
    warnings: warning === undefined ? [] : [warning],
  };
}

function usedBytes(facts: string): number {
  const field = (name: string) => Number(new RegExp(`^${name}: +(\\d+)$`, 'm').exec(facts)?.[1]);
  const used = (field('Block count') - field('Free blocks')) * field('Block size');
  if (Number.isInteger(used) && used > 0) return used;
  throw new Error('dumpe2fs does not say how much is in use');
}
