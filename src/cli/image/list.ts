// cli/image/list.ts: `headstart image list`: which images are in a gallery, and which version is in each channel?
import { UserError } from '../../base/errors.ts';
import { listPublished, type PublishedImage } from '../../image/publish/gallery-list.ts';
import { type GalleryOptions, type OpenGallery, openGallery, withGalleryOptions } from '../compose/open-gallery.ts';
import { hintWithOptions } from '../output/hint-options.ts';
import { printJson } from '../output/json.ts';
import { screenOf } from '../output/screen.ts';
import { printable, renderTable } from '../output/table.ts';
import type { Verb } from '../verb.ts';

export const verb = imageList(openGallery);

export function imageList(open: OpenGallery): Verb {
  return {
    examples: ['image list --vms qemu', 'image list --gallery images --json'],
    configure: withGalleryOptions,
    async run(_args, options: GalleryOptions, deps) {
      const signal = deps.signal();
      const { name, provider, kind } = await open(options, deps);
      const published = await listPublished(provider.gallery, name, { signal });
      // On this machine a gallery exists only after the first version; on Azure an unknown name is a mistake.
      if (!published && kind === 'azure') throw noGallery(name);
      const { images, emptyChannels } = published ?? { images: [], emptyChannels: [] };
      if (options.json) return printJson(deps, 'ImageList', { gallery: name, images, emptyChannels });
      if (images.length === 0) {
        const how = hintWithOptions('`headstart image publish FOLDER` publishes one', deps.typed ?? []);
        return deps.stdout(`no images yet in gallery ${printable(name)}: ${how}\n`);
      }
      deps.stdout(renderTable(COLUMNS, images, screenOf(deps)));
      for (const { definition, channel, was } of emptyChannels)
        deps.stderr(`${channel} of ${definition} is empty: it had ${was}, which was deleted\n`);
    },
  };
}

const COLUMNS: Parameters<typeof renderTable<PublishedImage>>[0] = [
  { title: 'IMAGE', cell: ({ definition }) => definition },
  { title: 'VERSION', cell: ({ version }) => version },
  { title: 'CHANNELS', cell: ({ channels }) => channels.join(' ') },
  {
    title: 'TESTED',
    cell: ({ isTested }) => (isTested ? 'yes' : 'no'),
    style: ({ isTested }) => (isTested ? 'good' : 'warning'),
  },
  { title: 'LATEST', cell: ({ isExcludedFromLatest }) => (isExcludedFromLatest ? 'excluded' : 'yes') },
  { title: 'STATE', cell: ({ state }) => state },
  { title: 'CONTENT', cell: ({ contentSha256 }) => contentSha256.slice(0, 12) },
  { title: 'GB', align: 'right', cell: ({ sizeGb }) => String(sizeGb) },
  { title: 'SINCE', cell: ({ createdMs }) => new Date(createdMs).toISOString().slice(0, 10) },
];

function noGallery(name: string): UserError {
  return new UserError(`there is no gallery ${name}`, {
    code: 'image/no-gallery',
    next: 'name another gallery with --gallery; `headstart image publish` creates it',
    exitCode: 1,
  });
}
