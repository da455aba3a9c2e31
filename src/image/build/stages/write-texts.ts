// image/build/stages/write-texts.ts: write the files that describe the image: lock, release facts, container images, files and SBOM.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { artifactsOf } from '../../lock/content-hash.ts';
import { renderLock } from '../../lock/read-lock.ts';
import { listImages, renderImageList } from '../../report/image-list.ts';
import { makeSbom } from '../../report/sbom.ts';
import type { ImageBuildDeps, ImageTarget, RootContent } from '../contract.ts';
import { diskName } from '../disk/disk.ts';
import { PLACED_FILES, renderPlaced } from '../files/placed-files.ts';
import { imageInArchive } from '../store/oci-archive.ts';
import { versionStage } from './version-stage.ts';
import { INITRD, VMLINUX } from './write-kernel.ts';

export const writeTexts = versionStage({
  id: 'texts',
  title: 'write the lock, the release facts, the lists of images and files, and the SBOM',
  done: 'metadata files written',
  needs: ['content'],
  gives: ['names'],
  async make({ target, contentSha256, formats, files, ...deps }, { content }) {
    const texts = await textsOf(target, contentSha256, content, deps);
    for (const [name, text] of Object.entries(texts)) await writeFile(join(files, name), text);
    return { names: [...formats.map(diskName), VMLINUX, INITRD, ...Object.keys(texts)].sort() };
  },
});

async function textsOf(
  target: ImageTarget,
  contentSha256: string,
  content: RootContent,
  deps: ImageBuildDeps,
): Promise<Record<string, string>> {
  const { lock, kubernetes } = target;
  const images = listImages(lock, kubernetes, await digestsOf(target, deps));
  return {
    'lock.json': renderLock(lock),
    'release.json': content.release,
    'images.json': renderImageList(images),
    [PLACED_FILES]: renderPlaced(content.placed),
    'sbom.cdx.json': makeSbom(lock, kubernetes, { contentSha256, images }),
  };
}

/** Manifest digests of the container images, by component. */
async function digestsOf(
  { lock, kubernetes }: ImageTarget,
  { cache, run, signal }: ImageBuildDeps,
): Promise<Record<string, string>> {
  const digests: Record<string, string> = {};
  for (const artifact of artifactsOf(lock, kubernetes).filter(({ kind }) => kind === 'oci-image')) {
    const archive = await cache.open(artifact, { signal });
    const name = artifact.install?.to ?? artifact.component;
    const { digest } = await imageInArchive(archive, name, { run, architecture: lock.architecture, signal });
    digests[artifact.component] = digest;
  }
  return digests;
}
