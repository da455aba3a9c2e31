// image/publish/gallery-list.ts: which images are in a gallery, with which channels, test state, size and date?
import type { CallOptions } from '../../base/call-options.ts';
import type { Definition, Gallery, Version } from '../../vms/gallery.ts';
import { compareComponentVersions } from '../manifest/compare-versions.ts';
import { CHANNELS, holderOf, isTestedVersion, lostHolder, type ReleaseChannel } from './channels.ts';
import { IMAGE_TAGS } from './names.ts';

export interface PublishedImage {
  gallery: string;
  definition: string;
  version: string;
  id: string;
  contentSha256: string;
  /** The channels that are at this version now. */
  channels: ReleaseChannel[];
  state: Version['state'];
  isTested: boolean;
  isExcludedFromLatest: boolean;
  sizeGb: number;
  createdMs: number;
}

/** A channel without a version, because its version was deleted. */
export interface EmptyChannel {
  definition: string;
  channel: ReleaseChannel;
  was: string;
}

export interface GalleryListing {
  /** Sorted by definition, newest first. Versions that headstart did not publish are left out. */
  images: PublishedImage[];
  emptyChannels: EmptyChannel[];
}

/** Undefined if the gallery does not exist. */
export async function listPublished(
  gallery: Pick<Gallery, 'listDefinitions' | 'listVersions'>,
  name: string,
  options: CallOptions = {},
): Promise<GalleryListing | undefined> {
  const definitions = await gallery.listDefinitions(name, options);
  if (!definitions) return undefined;
  const found: GalleryListing = { images: [], emptyChannels: [] };
  for (const definition of definitions.toSorted((a, b) => compareComponentVersions('binary', a.name, b.name))) {
    const versions = await gallery.listVersions(definition, options);
    found.images.push(...imagesOf(definition, versions));
    found.emptyChannels.push(...emptyChannelsOf(definition, versions));
  }
  return found;
}

export function emptyChannelsOf({ name: definition }: Definition, versions: readonly Version[]): EmptyChannel[] {
  return CHANNELS.flatMap((channel) => {
    const was = lostHolder(versions, channel);
    return was === undefined ? [] : [{ definition, channel, was }];
  });
}

export function imagesOf({ gallery, name: definition }: Definition, versions: readonly Version[]): PublishedImage[] {
  const holders = new Map(CHANNELS.map((channel) => [channel, holderOf(versions, channel)?.name]));
  return versions
    .filter(({ tags }) => tags[IMAGE_TAGS.content] !== undefined)
    .toSorted((a, b) => compareComponentVersions('binary', b.name, a.name))
    .map((version) => ({
      gallery,
      definition,
      version: version.name,
      id: version.id,
      contentSha256: version.tags[IMAGE_TAGS.content]!,
      channels: CHANNELS.filter((channel) => holders.get(channel) === version.name),
      state: version.state,
      isTested: isTestedVersion(version),
      isExcludedFromLatest: version.isExcludedFromLatest,
      sizeGb: version.sizeGb,
      createdMs: version.createdMs,
    }));
}
