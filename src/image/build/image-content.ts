// image/build/image-content.ts: which inputs decide the bytes of an image? One hash over its part of the lock, the tools and what this program adds.
import { createHash } from 'node:crypto';
import { contentSha256 } from '../lock/content-hash.ts';
import type { ImageTarget } from './contract.ts';
import { bootFiles, KERNEL_ARGS } from './disk/boot-files.ts';
import { renderContainerdFiles, renderRelease } from './files/release-file.ts';
import { ownFiles } from './files/version-files.ts';
import { layerKey } from './layers/base-layer.ts';
import type { ToolVersions } from './tool-versions.ts';

/** Increase it when the builder makes different bytes from the inputs below. */
const FORMAT = 2;

export async function imageContent(target: ImageTarget, tools: ToolVersions): Promise<string> {
  const release = renderRelease(target, { contentSha256: '', kernelRelease: '' });
  const own = [
    ...[FORMAT, layerKey(target.lock, tools), tools, release, await renderContainerdFiles(release)],
    ...[ownFiles(target), bootWords(), KERNEL_ARGS],
  ];
  return createHash('sha256')
    .update(`${contentSha256(target.lock, target.kubernetes)}\n${JSON.stringify(own)}`)
    .digest('hex');
}

/** The boot loader configuration without the programs. */
function bootWords(): [path: string, text: string][] {
  const none = new Uint8Array();
  const files = bootFiles({ loader: none, vmlinuz: none, initrd: none, release: '', commandLine: '' });
  return files.map(({ path, bytes }) => [path, Buffer.from(bytes).toString()]);
}
