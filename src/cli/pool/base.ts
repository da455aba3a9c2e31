// cli/pool/base.ts: `headstart pool base`: builds a minimal Debian image for pools from packages, once.
import { systemClock } from '../../base/clock.ts';
import { type RunCommand, runCommand } from '../../base/command.ts';
import { formatSpan } from '../../base/duration.ts';
import { requireTools, toolPath, USER_TOOLS } from '../../host/required-tools.ts';
import { BASE_TAGS, type BaseImage, findBase } from '../../vms/qemu/base/base-versions.ts';
import { ensureBase } from '../../vms/qemu/base/build-base.ts';
import { baseRecipe, type Recipe, SUITES } from '../../vms/qemu/base/recipe.ts';
import { BASE_TOOLS, POOL_TOOLS } from '../../vms/qemu/required-tools.ts';
import { type PoolOptions, withPoolOptions } from '../compose/open-pools.ts';
import { orInterrupted } from '../or-interrupted.ts';
import { printJson, printJsonLine } from '../output/json.ts';
import { everySecond, showProgress } from '../output/progress.ts';
import type { CliDeps, Verb } from '../verb.ts';
import { homeFolder } from './home.ts';
import { DEFAULT_IMAGE } from './image.ts';

interface Options extends PoolOptions {
  suite: string;
  refresh?: boolean;
  dryRun?: boolean;
}

export const verb: Verb = {
  examples: ['pool base', 'pool base --refresh'],
  configure: (command) =>
    withPoolOptions(command)
      .option('--suite <NAME>', `the Debian release: ${SUITES.join(' or ')}`, 'bookworm')
      .option('--refresh', 'build a new version if there are newer packages')
      .option('--dry-run', 'print what would be built, and build nothing'),
  async run(_args, options: Options, deps) {
    const recipe = baseRecipe(options.suite);
    const home = homeFolder(options, deps.env);
    const refresh = options.refresh === true;
    const found = findBase(home, recipe);
    if (options.dryRun) return printPlan(plannedChanges(recipe, found, refresh), recipe, options, deps);
    if (found && !refresh) return printImage(found, recipe, options, deps);

    const isRoot = process.getuid?.() === 0;
    requireTools([...POOL_TOOLS, ...BASE_TOOLS, ...(isRoot ? [] : USER_TOOLS)], {
      path: deps.env.PATH,
      isRoot,
      code: 'pool/missing-programs',
    });
    const signal = deps.signal();
    const startedUs = deps.nowUs();
    const progress = showProgress(deps, 'PoolEvent', options);
    progress.step(
      `building ${recipe.definition} from the packages of ${recipe.suite}, from the apt sources of this machine`,
    );
    const interruption = {
      code: 'pool/interrupted',
      kept: 'Nothing was left behind.',
      next: 'run the same command again; it downloads the packages again',
    };
    const { waiting, stop } = everySecond(progress.waiting);
    const image = await orInterrupted(signal, interruption, () =>
      ensureBase(
        recipe,
        { refresh },
        { home, clock: systemClock, isRoot, run: withToolPath(deps) },
        {
          signal,
          onWaiting: waiting,
        },
      ),
    ).finally(stop);
    progress.end();
    if (image.isNew) progress.step(`built in ${formatSpan(Math.round((deps.nowUs() - startedUs) / 1e6) * 1e6)}`);
    printImage(image, recipe, options, deps);
  },
};

function withToolPath(deps: CliDeps): RunCommand {
  const env = { ...deps.env, PATH: toolPath(deps.env.PATH) };
  return (argv, options) => runCommand(argv, { env, ...options });
}

function plannedChanges(recipe: Recipe, found: BaseImage | undefined, refresh: boolean): string[] {
  if (found && !refresh) return [];
  const build = `build a version of headstart/${recipe.definition} from ${recipe.packages.length} packages of ${recipe.suite} and what they depend on`;
  return [found ? `${build}, unless ${found.record.name} already has the newest versions` : build];
}

function printPlan(changes: string[], { definition }: Recipe, options: Options, deps: CliDeps): void {
  if (options.json) printJson(deps, 'BaseImagePlan', { definition, changes });
  else deps.stdout(changes.length === 0 ? 'nothing to do\n' : changes.map((change) => `would ${change}\n`).join(''));
}

function printImage({ id, isNew, record }: BaseImage, recipe: Recipe, options: Options, deps: CliDeps): void {
  const bytes = Object.values(record.files).reduce((sum, file) => sum + (file?.bytes ?? 0), 0);
  if (options.json) {
    printJsonLine(deps, 'BaseImage', {
      id,
      isNew,
      suite: recipe.suite,
      definition: recipe.definition,
      version: record.name,
      kernel: record.tags[BASE_TAGS.kernel],
      packagesHash: record.tags[BASE_TAGS.packages],
      createdMs: record.createdMs,
      bytes,
    });
    return;
  }
  const size = `${Math.ceil(bytes / 2 ** 20)} MiB`;
  deps.stdout(`${id}  ${recipe.suite}, kernel ${record.tags[BASE_TAGS.kernel] ?? 'unknown'}, ${size}\n`);
  const image = recipe.definition === DEFAULT_IMAGE ? '' : ` --image ${recipe.definition}`;
  if (isNew) deps.stderr(`next:  headstart pool create pool1${image}\n`);
  else if (options.refresh) deps.stderr('it already exists, and there are no newer packages\n');
  else deps.stderr('it already exists; --refresh checks for newer packages\n');
}
