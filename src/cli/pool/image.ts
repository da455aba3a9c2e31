// cli/pool/image.ts: which image version does `--image` mean? A version, or the newest of a definition.
import { UserError } from '../../base/errors.ts';
import { shellWord } from '../../base/shell-word.ts';
import { compareVersionNames } from '../../prototype/names.ts';
import type { Version } from '../../vms/gallery.ts';
import type { VmProvider } from '../../vms/provider.ts';
import { suiteOf } from '../../vms/qemu/base/recipe.ts';

/** `headstart pool base` writes to this gallery. */
const BASE_GALLERY = 'headstart';
export const DEFAULT_IMAGE = 'debian-12';

/** `debian-12`, `headstart/debian-12`, `headstart/debian-12/2026.11.15`; each with or without `galleries/` in front. */
export async function resolvePoolImage(
  provider: Pick<VmProvider, 'gallery'>,
  wanted: string,
  signal: AbortSignal,
): Promise<Version> {
  const { gallery, name, version } = parseImage(wanted);
  const definition = await provider.gallery.readDefinition(gallery, name, { signal });
  const versions = definition ? await provider.gallery.listVersions(definition, { signal }) : [];
  const found =
    version === undefined
      ? versions
          .filter((candidate) => candidate.state === 'ready' && !candidate.isExcludedFromLatest)
          .toSorted((a, b) => compareVersionNames(b.name, a.name))[0]
      : versions.find((candidate) => candidate.name === version);
  if (found?.state === 'ready') return found;
  throw noImage({ gallery, name, version }, versions, found);
}

interface ImageName {
  gallery: string;
  name: string;
  version: string | undefined;
}

function parseImage(text: string): ImageName {
  const parts = text.replace(/^galleries\//, '').split('/');
  const [gallery, name, version] = parts.length === 1 ? [BASE_GALLERY, parts[0]] : parts;
  if (gallery && name && version !== '' && parts.length <= 3) return { gallery, name, version };
  throw new UserError(`${JSON.stringify(text)} is not an image name`, {
    code: 'pool/bad-image',
    next: 'use DEFINITION, GALLERY/DEFINITION or GALLERY/DEFINITION/VERSION',
  });
}

function noImage(
  { gallery, name, version }: ImageName,
  versions: readonly Version[],
  found: Version | undefined,
): UserError {
  const shown = `${gallery}/${name}${version === undefined ? '' : `/${version}`}`;
  if (found) {
    return new UserError(`the image ${shown} is ${found.state}, not ready`, {
      code: 'pool/image-not-ready',
      next: 'choose another image with --image',
      exitCode: 1,
    });
  }
  const known = versions.map((candidate) => candidate.name).join(', ');
  return new UserError(`there is no image ${shown}${known ? `; known versions: ${known}` : ''}`, {
    code: 'pool/no-image',
    kept: 'Nothing was created.',
    next: (known === '' && howToBuild(gallery, name)) || howToChoose(gallery),
    exitCode: 1,
  });
}

/** Only for images that `pool base` builds. */
function howToBuild(gallery: string, definition: string): string | undefined {
  const suite = gallery === BASE_GALLERY ? suiteOf(definition) : undefined;
  if (suite === undefined) return undefined;
  const option = definition === DEFAULT_IMAGE ? '' : ` --suite ${suite}`;
  return `\`headstart pool base${option}\` builds it from packages; then run this command again`;
}

function howToChoose(gallery: string): string {
  const option = gallery === BASE_GALLERY ? '' : ` --gallery ${shellWord(gallery)}`;
  return `choose an image with --image; \`headstart image list --vms qemu${option}\` lists them`;
}
