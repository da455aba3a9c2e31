// cli/image/promote.ts: `headstart image promote`: puts a version into a channel. The image itself does not change.
import { Option } from 'commander';
import { UserError } from '../../base/errors.ts';
import { NotFound } from '../../base/failures.ts';
import { CHANNELS, planPromotion, type ReleaseChannel, type TestedBytes } from '../../image/publish/channels.ts';
import { imagesOf } from '../../image/publish/gallery-list.ts';
import { openBuild } from '../../image/publish/publish.ts';
import { AZURE_DISK } from '../../image/publish/to-azure.ts';
import { QEMU_FILES } from '../../image/publish/to-qemu.ts';
import { type BootMethod, hasPassed } from '../../image/test/verdict.ts';
import type { Definition, Version } from '../../vms/gallery.ts';
import type { VmProvider } from '../../vms/provider.ts';
import { type GalleryOptions, type OpenGallery, openGallery, withGalleryOptions } from '../compose/open-gallery.ts';
import { orInterrupted } from '../or-interrupted.ts';
import { printJson } from '../output/json.ts';
import { renderDryRun } from '../output/render-dry-run.ts';
import { printable } from '../output/table.ts';
import type { Verb } from '../verb.ts';

interface Options extends GalleryOptions {
  to: ReleaseChannel;
  build?: string;
  untested?: boolean;
  skipOrder?: boolean;
  allowDowngrade?: boolean;
  dryRun?: boolean;
}

export const verb = imagePromote(openGallery);

export function imagePromote(open: OpenGallery): Verb {
  return {
    examples: [
      'image promote node-1.35.8/2026.1116.0 --to staging',
      'image promote node-1.35.8/2026.1116.0 --to stable --vms qemu --dry-run',
    ],
    configure: (command) =>
      withGalleryOptions(
        command
          .argument('<IMAGE/VERSION>', 'the version, as `image list` shows it')
          .addOption(
            new Option('--to <CHANNEL>', 'the channel to put the version into').choices(CHANNELS).makeOptionMandatory(),
          )
          .option(
            '--build <FOLDER>',
            'for a version published untested: the folder of its build, which has passed its test since then',
          )
          .option('--untested', 'promote without a passed test; the version stays excluded from latest')
          .option('--skip-order', `skip a channel; the order is ${CHANNELS.join(', ')}`)
          .option('--allow-downgrade', 'promote even if the channel has a newer version')
          .option('--dry-run', 'print what would change, and change nothing'),
      ),
    async run([image = ''], options: Options, deps) {
      const signal = deps.signal();
      const { name, provider, kind } = await open(options, deps);
      const interruption = {
        code: 'image/interrupted',
        kept: 'The channel has one version: the previous one or this one.',
        next: 'run the same command again',
      };
      await orInterrupted(signal, interruption, async () => {
        const { definition, versions, version } = await find(provider, name, image, signal);
        const promotion = planPromotion(versions, version, {
          channel: options.to,
          nowMs: deps.nowUs() / 1000,
          tested: await testedBytes(options.build, kind),
          isUntestedAllowed: options.untested === true,
          isSkippingAllowed: options.skipOrder === true,
          isDowngradeAllowed: options.allowDowngrade === true,
        });
        const { problems, changes, tags, leaving, isIncluded } = promotion;
        if (problems.length > 0) throw refused(image, options.to, problems);
        if (options.dryRun) {
          if (options.json) printJson(deps, 'ImagePromotionPlan', { image, channel: options.to, changes });
          else deps.stdout(renderDryRun(changes));
          return;
        }
        if (Object.keys(tags).length > 0) await provider.gallery.tagVersion(definition, version.name, tags, { signal });
        for (const one of leaving)
          await provider.gallery.tagVersion(definition, one.name, one.tags, { signal }).catch(unlessGone);
        if (isIncluded) await provider.gallery.setExcludedFromLatest(definition, version.name, false, { signal });
        // Reports the state after the change: another promotion may have happened meanwhile.
        const after = imagesOf(definition, await provider.gallery.listVersions(definition, { signal }));
        const now = after.find((one) => one.version === version.name);
        if (!now?.channels.includes(options.to)) throw overtaken(image, options.to);
        if (options.json) printJson(deps, 'ImagePromotion', { ...now, changes });
        else
          deps.stdout(
            changes.length === 0
              ? `${options.to} already has ${image}\n`
              : changes.map((one) => `did ${printable(one)}\n`).join(''),
          );
      });
    },
  };
}

async function find(
  provider: Pick<VmProvider, 'gallery'>,
  gallery: string,
  image: string,
  signal: AbortSignal,
): Promise<{ definition: Definition; versions: Version[]; version: Version }> {
  const [name, versionName, ...rest] = image.split('/');
  if (!name || !versionName || rest.length > 0)
    throw new UserError(`${JSON.stringify(image)} is not an image version`, {
      code: 'image/bad-version',
      next: 'use IMAGE/VERSION, as in node-1.35.8/2026.1116.0; `headstart image list` shows them',
    });
  const definition = await provider.gallery.readDefinition(gallery, name, { signal });
  const versions = definition ? await provider.gallery.listVersions(definition, { signal }) : [];
  const version = versions.find((one) => one.name === versionName);
  if (definition && version) return { definition, versions, version };
  const known = versions.map((one) => one.name).join(', ');
  throw new UserError(`gallery ${gallery} has no ${image}${known ? `; known versions: ${known}` : ''}`, {
    code: 'image/no-version',
    next: '`headstart image list` shows the versions',
    exitCode: 1,
  });
}

/** A deleted version needs no tags. */
function unlessGone(error: unknown): void {
  if (!(error instanceof NotFound)) throw error;
}

/** The hashes of a build whose test has passed. */
async function testedBytes(folder: string | undefined, kind: 'azure' | 'qemu'): Promise<TestedBytes | undefined> {
  if (folder === undefined) return undefined;
  const { record, test } = await openBuild(folder);
  const { way, disk }: { way: BootMethod; disk: string } =
    kind === 'azure' ? { way: 'firmware', disk: AZURE_DISK } : { way: 'kernel', disk: QEMU_FILES.disk };
  if (hasPassed(test, record, way))
    return { contentSha256: record.contentSha256, diskSha256: record.files[disk]?.sha256 };
  throw new UserError(`the build ${folder} has not passed a test`, {
    code: 'image/untested',
    kept: 'Nothing was changed.',
    next: `headstart image test ${folder}${way === 'firmware' ? ' --firmware' : ''}`,
    exitCode: 1,
  });
}

function refused(image: string, channel: ReleaseChannel, problems: readonly string[]): UserError {
  return new UserError(
    `${image} is not promoted to ${channel}:\n${problems.map((problem) => `         ${problem}`).join('\n')}`,
    {
      code: 'image/not-promoted',
      kept: 'Nothing was changed.',
      next: 'fix these problems, or use the options named there',
      exitCode: 1,
    },
  );
}

function overtaken(image: string, channel: ReleaseChannel): UserError {
  return new UserError(`${image} was promoted to ${channel}, but another version replaced it a moment later`, {
    code: 'image/overtaken',
    next: '`headstart image list` shows the current version',
    exitCode: 1,
  });
}
