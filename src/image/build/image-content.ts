// image/build/image-content.ts: one hash of all that decides the bytes of an image: its part of the lock, and what this program adds.
import { createHash } from 'node:crypto';
import { contentSha256 } from '../content-hash.ts';
import { layerKey } from './base-layer.ts';
import type { Target } from './contract.ts';
import { renderContainerdFiles, renderRelease } from './release-file.ts';
import { KERNEL_ARGS } from './root-image.ts';

/** Counts changes of how an image is made that nothing below shows. */
const FORMAT = 1;

export async function imageContent(target: Target): Promise<string> {
  const release = renderRelease(target, { contentSha256: '', kernelRelease: '' });
  const own = [FORMAT, layerKey(target.lock), release, await renderContainerdFiles(release), KERNEL_ARGS];
  return createHash('sha256')
    .update(`${contentSha256(target.lock, target.kubernetes)}\n${JSON.stringify(own)}`)
    .digest('hex');
}
