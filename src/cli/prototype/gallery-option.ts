// cli/prototype/gallery-option.ts: which gallery does a prototype verb use? `--gallery`, or its old spelling `--cluster`.
import { type Command, Option } from 'commander';
import { UserError } from '../../base/errors.ts';
import { checkGalleryName, galleryName } from '../../prototype/names.ts';
import type { CliDeps } from '../verb.ts';

export interface GalleryNameOptions {
  gallery?: string;
  /** `--cluster NAME`, which names the gallery SIG_NAME. */
  clusterAsGallery?: string;
}

export function withGalleryNameOption(command: Command): Command {
  return command
    .option('--gallery <NAME>', 'the gallery for prototypes; default: SIG_ and the resource group, or SIG_local')
    .addOption(new OldClusterOption('--cluster <NAME>', 'the old spelling of --gallery SIG_NAME').hideHelp());
}

/** `--no-cluster` also stores its value under `cluster`. A separate key keeps the two options independent. */
class OldClusterOption extends Option {
  override attributeName(): string {
    return 'clusterAsGallery';
  }
}

/** The gallery's full name; undefined: neither option was given. */
export function chosenGallery(
  { gallery, clusterAsGallery: old }: GalleryNameOptions,
  { stderr }: Pick<CliDeps, 'stderr'>,
): string | undefined {
  if (old === undefined) return gallery === undefined ? undefined : checkGalleryName(gallery);
  const name = galleryName(old);
  if (gallery !== undefined) {
    throw new UserError('--gallery and --cluster both name the gallery', {
      code: 'prototype/option-misfit',
      kept: 'Nothing was touched.',
      next: 'leave --cluster out',
    });
  }
  stderr(`warning: --cluster ${old} is the old spelling of --gallery ${name}; use --gallery ${name}\n`);
  return name;
}
