// cli/image/publish.ts: `headstart image publish`: a build that was tested becomes a version of a gallery; the same command goes on where it was cut off.
import { Option } from 'commander';
import { UserError } from '../../base/errors.ts';
import { changesOf } from '../../image/publish/plan.ts';
import {
  type Destination,
  openBuild,
  type PublishResult,
  planForDestination,
  publishBuild,
} from '../../image/publish/publish.ts';
import {
  type GalleryOptions,
  type OpenedGallery,
  type OpenGallery,
  openGallery,
  withGalleryOptions,
} from '../compose/open-gallery.ts';
import { SHARED_GROUPS } from '../help.ts';
import { orInterrupted } from '../or-interrupted.ts';
import { printJson, printJsonLine } from '../output/json.ts';
import { type Progress, showProgress } from '../output/progress.ts';
import { renderPlan } from '../output/render-plan.ts';
import { printable } from '../output/table.ts';
import { wholeNumber } from '../pool/arguments.ts';
import type { CliDeps, Verb } from '../verb.ts';
import { blobPlace, type StorageOptions, withStorageOptions } from './blob-place.ts';

interface Options extends GalleryOptions, StorageOptions {
  untested?: boolean;
  region?: string;
  replicas: number;
  redundancy: 'zone' | 'local';
  dryRun?: boolean;
}

export const verb = imagePublish(openGallery);

export function imagePublish(open: OpenGallery): Verb {
  return {
    examples: [
      'image publish images/node-1.35.8-2026.1116.0 --vms qemu',
      'image publish images/node-1.35.8-2026.1116.0 --gallery images --region westeurope --storage-account images1',
    ],
    configure: (command) =>
      withStorageOptions(
        withGalleryOptions(
          command
            .argument('<FOLDER>', 'the folder of a build')
            .option('--untested', 'publish without a passed test; the version stays excluded from latest')
            .option('--dry-run', 'print what would be published, and publish nothing')
            .optionsGroup(SHARED_GROUPS.azure)
            .option('--region <NAME>', 'the region of the version')
            .option('--replicas <NUMBER>', 'how many replicas to keep there', wholeNumber(1, 100), 1)
            .addOption(
              new Option('--redundancy <KIND>', 'the redundancy of their storage')
                .choices(['zone', 'local'])
                .default('local'),
            )
            .optionsGroup(''),
        ),
      ),
    async run([folder = ''], options: Options, deps) {
      const build = await openBuild(folder);
      const signal = deps.signal();
      const progress = showProgress(deps, 'ImageEvent', options);
      const destination = await destinationOf(await open(options, deps), options, deps, progress);
      const call = { signal, onWaiting: progress.waiting, isUntestedAllowed: options.untested === true };
      const changes = changesOf(await planForDestination(destination, build, call), build.record);
      if (options.dryRun) {
        if (options.json) printJson(deps, 'ImagePublishPlan', { gallery: destination.galleryName, changes });
        else deps.stdout(renderPlan(changes));
        return;
      }
      progress.step(
        `publishing ${build.record.name} ${build.record.version} to the gallery ${destination.galleryName}`,
      );
      const told = {
        code: 'image/interrupted',
        kept: 'What was sent so far stays, and no version is offered before it is whole.',
        next: 'run the same command again',
      };
      const published = await orInterrupted(signal, told, () => publishBuild(destination, build, call)).finally(
        progress.end,
      );
      tell(published, options, deps);
    },
  };
}

async function destinationOf(
  gallery: OpenedGallery,
  options: Options,
  deps: CliDeps,
  progress: Progress,
): Promise<Destination> {
  if (gallery.kind === 'qemu') {
    const { qemuDestination } = await import('../../image/publish/to-qemu.ts');
    return qemuDestination({ ...gallery.deps, gallery: gallery.factory.gallery, galleryName: gallery.name });
  }
  const { region, replicas, redundancy } = options;
  const { endpoint, container, storageAccountId, connectionString } = blobPlace(options, deps.env, gallery.settings);
  if (region === undefined)
    throw new UserError('no region is named to make the version in', {
      code: 'image/no-region',
      kept: 'Nothing was touched.',
      next: 'name it with --region',
    });
  const [{ azureDestination }, { azurePageBlob }] = await Promise.all([
    import('../../image/publish/to-azure.ts'),
    import('../../image/publish/azure-page-blob.ts'),
  ]);
  const login = connectionString ? { connectionString } : { credential: gallery.credential };
  return azureDestination({
    ...{
      gallery: gallery.factory.gallery,
      galleryName: gallery.name,
      region,
      clock: gallery.clock,
      replicas,
      redundancy,
    },
    storageAccountId,
    openBlob: (name, signal) => azurePageBlob({ endpoint, container, name }, login, signal),
    onUploaded: ({ sentBytes, foundBytes }) =>
      progress.step(`uploaded ${megabytes(sentBytes)}, ${megabytes(foundBytes)} were there`),
  });
}

function tell(published: PublishResult, options: Options, deps: CliDeps): void {
  const { id, definition, version, isNew, isTested, isExcludedFromLatest } = published;
  if (options.json) {
    printJsonLine(deps, 'PublishedImage', published);
    return;
  }
  const facts = [isTested ? 'tested' : 'untested', ...(isExcludedFromLatest ? ['excluded from the latest'] : [])];
  deps.stdout(`${printable(id)}  ${facts.join(', ')}${isNew ? '' : '; it was there already'}\n`);
  deps.stderr(`next:  headstart image promote ${definition}/${version} --to dev\n`);
}

function megabytes(bytes: number): string {
  return `${Math.ceil(bytes / 1e6)} MB`;
}
