// cli/image/build.ts: `headstart image build`: builds one image per Kubernetes patch version of a lock, without a VM or a loop device.

import { existsSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { type RunCommand, runCommand } from '../../base/command.ts';
import { formatSpan } from '../../base/duration.ts';
import { UserError } from '../../base/errors.ts';
import { shellWord } from '../../base/shell-word.ts';
import { missingTools, requireTools, toolPath, USER_TOOLS } from '../../host/required-tools.ts';
import { buildImages, fetchForImages, type ImageBuildRequest, targetsOf } from '../../image/build/build-images.ts';
import type { Format } from '../../image/build/disk/disk.ts';
import { type PlannedStage, planBuild } from '../../image/build/dry-run.ts';
import { type BuiltImage, buildFolder } from '../../image/build/find-image.ts';
import { IMAGE_TOOLS } from '../../image/build/required-tools.ts';
import type { FinishedStage } from '../../image/build/run-stages.ts';
import { artifactsToFetch } from '../../image/build/stages/fetch-files.ts';
import { toolVersions } from '../../image/build/tool-versions.ts';
import type { ImageLock } from '../../image/lock/lock.ts';
import { readLock } from '../../image/lock/read-lock.ts';
import { imageVersionLabel } from '../../image/publish/names.ts';
import { type CacheFlags, openCache, withCacheOptions } from '../compose/open-cache.ts';
import { orInterrupted } from '../or-interrupted.ts';
import { printJson, printJsonLine } from '../output/json.ts';
import { everySecond, showProgress } from '../output/progress.ts';
import { screenOf } from '../output/screen.ts';
import { renderTable } from '../output/table.ts';
import type { CliDeps, Verb } from '../verb.ts';

interface Options extends CacheFlags {
  lock: string;
  kubernetes?: string[];
  out: string;
  only?: string;
  offline?: boolean;
  dryRun?: boolean;
  json?: boolean;
}

const FORMATS: readonly Format[] = ['qcow2', 'vhd', 'raw'];
/** With more parallel builds, the disk is the bottleneck. */
const MOST_LANES = 4;
/** Without raw: it has the same content as the VHD, and is larger than both. */
const USUAL: readonly Format[] = ['qcow2', 'vhd'];

export const verb: Verb = {
  examples: ['image build', 'image build --kubernetes 1.35.8 --only qcow2 --out images'],
  configure: (command) =>
    withCacheOptions(command)
      .option('--lock <FILE>', 'the lock to build', 'image.lock.json')
      .option('--kubernetes <VERSION...>', 'build only these patch versions; default: all in the lock')
      .option('--out <FOLDER>', 'the folder to write to; each image is a folder in it', 'images')
      .option('--only <FORMATS>', `the disk formats: a list of ${FORMATS.join(', ')}; default: ${USUAL.join(',')}`)
      .option('--offline', 'download nothing; everything must be in the cache')
      .option('--dry-run', 'print what would be downloaded and built, and do nothing')
      .option('--json', 'print JSON: one event per line, the result last'),
  async run(_args, options: Options, deps) {
    const lock = readLock(options.lock, howToLock(options.lock));
    const versions = wantedVersions(lock, options.kubernetes);
    const formats = wantedFormats(options.only);
    const out = resolve(options.out);
    const isRoot = process.getuid?.() === 0;
    const { cache } = await openCache(options, deps, lock.base.origin);
    const order = { lock, versions, formats, out, isOffline: options.offline === true };
    const run = withToolPath(deps);
    if (options.dryRun) {
      const isComplete = missingTools(IMAGE_TOOLS, deps.env.PATH).length === 0;
      const places = isComplete
        ? { cacheFolder: cache.folder, out, formats, tools: await toolVersions(run) }
        : undefined;
      const stages = await planBuild({ targets: targetsOf(order), isOffline: order.isOffline, places });
      return printPlan(order, stages, options, deps);
    }
    requireTools([...IMAGE_TOOLS, ...(isRoot ? [] : USER_TOOLS)], {
      path: deps.env.PATH,
      isRoot,
      code: 'image/missing-programs',
    });

    const signal = deps.signal();
    const progress = showProgress(deps, 'ImageEvent', options);
    const { waiting: onWaiting, stop } = everySecond(progress.waiting);
    const stages = stageTimes(deps);
    const interruption = {
      code: 'image/interrupted',
      kept: 'Finished images are complete; nothing else was left behind.',
      next: 'run the same command again',
    };
    const built = await orInterrupted(signal, interruption, async () => {
      const machine = { cache, run, isRoot, tools: await toolVersions(run, signal), signal };
      const listeners = { onWaiting, onBegin: stages.begin, onDone: stages.done };
      if (!options.offline)
        progress.step(`checking ${artifactsToFetch(targetsOf(order)).length} files, downloading the missing ones`);
      await fetchForImages(order, machine, listeners);
      progress.step(
        `building ${lock.name} ${versions.map((version) => imageVersionLabel(version, lock.base)).join(', ')}`,
      );
      const lanes = Math.min(MOST_LANES, availableParallelism());
      return buildImages({ ...order, lanes }, machine, listeners);
    }).finally(stop);
    for (const { record, warnings } of built) {
      for (const warning of warnings) progress.step(`warning: ${record.version}: ${warning}`);
    }
    progress.end();
    if (!options.json) deps.stderr(stages.table());
    for (const image of built) printImage(image, options, deps);
    if (options.json) printJsonLine(deps, 'ImageBuilds', { builds: built.map(summary), stages: stages.list() });
  },
};

function wantedVersions(lock: ImageLock, wanted: readonly string[] | undefined): readonly string[] {
  if (wanted === undefined) return lock.kubernetes;
  const unknown = wanted.filter((version) => !lock.kubernetes.includes(version));
  if (unknown.length === 0) return [...new Set(wanted)];
  throw new UserError(
    `the lock has no image for Kubernetes ${unknown.join(', ')}; it has ${lock.kubernetes.join(', ')}`,
    {
      code: 'image/unknown-version',
      next: 'add it to the manifest, then: headstart image lock',
    },
  );
}

function wantedFormats(only: string | undefined): readonly Format[] {
  if (only === undefined) return USUAL;
  const words = only.split(',').map((word) => word.trim());
  const wrong = words.filter((word) => !FORMATS.some((format) => format === word));
  if (wrong.length === 0) return FORMATS.filter((format) => words.includes(format));
  throw new UserError(`unknown disk format '${wrong.join("', '")}'`, {
    code: 'image/unknown-format',
    next: `choose from these with --only: ${FORMATS.join(',')}`,
  });
}

function withToolPath(deps: CliDeps): RunCommand {
  const env = { ...deps.env, PATH: toolPath(deps.env.PATH) };
  return (argv, options) => runCommand(argv, { env, ...options });
}

interface TimedStage extends FinishedStage {
  tookMs: number;
}

function stageTimes(deps: CliDeps) {
  const { nowUs } = deps;
  const startedUs = nowUs();
  // Images are built in parallel, so each has its own timer. The empty key is for the shared stages.
  const lastUs = new Map<string, number>();
  const all: TimedStage[] = [];
  return {
    begin: (kubernetes: string) => {
      lastUs.set(kubernetes, nowUs());
    },
    done({ id, kubernetes, stage }: FinishedStage) {
      const tookUs = nowUs() - (lastUs.get(kubernetes) ?? startedUs);
      all.push({ kubernetes, id, stage, tookMs: Math.round(tookUs / 1000) });
      lastUs.set(kubernetes, nowUs());
    },
    list: (): readonly TimedStage[] => all,
    table: () =>
      renderTable(
        [
          { title: 'VERSION', cell: ({ kubernetes }: Omit<TimedStage, 'id'>) => kubernetes || 'all' },
          { title: 'STAGE', cell: ({ stage }) => stage },
          { title: 'TOOK', align: 'right', cell: ({ tookMs }) => formatSpan(tookMs * 1000) },
        ],
        [...all, { kubernetes: '', stage: 'total', tookMs: Math.round((nowUs() - startedUs) / 1000) }],
        screenOf(deps, 'stderr'),
      ),
  };
}

function printPlan(order: ImageBuildRequest, stages: readonly PlannedStage[], options: Options, deps: CliDeps): void {
  const { lock, versions, formats, out, isOffline } = order;
  const images = versions.map((kubernetes) => {
    const folder = buildFolder({ lock, kubernetes }, out);
    return { kubernetes, version: imageVersionLabel(kubernetes, lock.base), folder, isThere: existsSync(folder) };
  });
  if (options.json) {
    const wanted = artifactsToFetch(targetsOf(order));
    const bytes = wanted.reduce((sum, artifact) => sum + artifact.bytes, 0);
    const hasBase = stages.some(({ id, isThere }) => id === 'base-layer' && isThere);
    const body = { name: lock.name, files: wanted.length, bytes, isOffline, hasBase, formats, images, stages };
    printJson(deps, 'ImageBuildPlan', body);
    return;
  }
  const lines = [
    ...stages.filter(({ kubernetes, isThere }) => kubernetes === '' && !isThere).map(({ title }) => title),
    ...images.map(({ version, folder, isThere }) => {
      const made = `build ${lock.name} ${version} as ${formats.join(', ')} in ${folder}`;
      return isThere ? `${made}, unless the existing image is identical` : made;
    }),
  ];
  const perVersion = stages.filter(({ kubernetes }) => kubernetes === versions[0]);
  deps.stdout(lines.map((line) => `would ${line}\n`).join(''));
  deps.stdout(`each image in these stages:\n${perVersion.map(({ title }) => `  ${title}\n`).join('')}`);
}

function summary({ folder, isNew, record }: BuiltImage) {
  return { folder, isNew, version: record.version, kubernetes: record.kubernetes, contentSha256: record.contentSha256 };
}

function printImage({ folder, isNew, record }: BuiltImage, options: Options, deps: CliDeps): void {
  if (options.json) return;
  const size = `${inMib(record.contentBytes)} of content`;
  deps.stdout(`${folder}  ${record.name} ${record.version}, ${size}, ${record.contentSha256.slice(0, 16)}\n`);
  deps.stderr(isNew ? `next:  headstart image test ${folder}\n` : 'it already exists, and every byte is unchanged\n');
}

const inMib = (bytes: number) => `${Math.ceil(bytes / 2 ** 20)} MiB`;

/** Uses the manifest in the lock's folder, or in the current folder. */
function howToLock(lockFile: string): string {
  const manifest = [join(dirname(lockFile), 'image.yaml'), 'image.yaml'].find((file) => existsSync(file));
  return manifest
    ? `headstart image lock -f ${shellWord(manifest)} -o ${shellWord(lockFile)}`
    : 'write a manifest (`headstart image schema` prints its fields), then: headstart image lock -f FILE';
}
