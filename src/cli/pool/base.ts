// cli/pool/base.ts: `headstart pool base`: a minimal Debian that pools can be made from, built from packages, once.
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
import type { Edges, Verb } from '../verb.ts';
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
  async run(_args, options: Options, edges) {
    const recipe = baseRecipe(options.suite);
    const home = homeFolder(options, edges.env);
    const refresh = options.refresh === true;
    const found = findBase(home, recipe);
    if (options.dryRun) return tellPlan(plannedChanges(recipe, found, refresh), recipe, options, edges);
    if (found && !refresh) return tellImage(found, recipe, options, edges);

    const isRoot = process.getuid?.() === 0;
    requireTools([...POOL_TOOLS, ...BASE_TOOLS, ...(isRoot ? [] : USER_TOOLS)], {
      path: edges.env.PATH,
      isRoot,
      code: 'pool/missing-programs',
    });
    const signal = edges.signal();
    const startedUs = edges.nowUs();
    const progress = showProgress(edges, 'PoolEvent', options);
    progress.step(
      `building ${recipe.definition} from the packages of ${recipe.suite}, from where this machine gets its own`,
    );
    const told = {
      code: 'pool/interrupted',
      kept: 'Nothing was left behind.',
      next: 'run the same command again; packages are asked for anew',
    };
    const { waiting, stop } = everySecond(progress.waiting);
    const image = await orInterrupted(signal, told, () =>
      ensureBase(
        recipe,
        { refresh },
        { home, clock: systemClock, isRoot, run: withToolPath(edges) },
        {
          signal,
          onWaiting: waiting,
        },
      ),
    ).finally(stop);
    progress.end();
    if (image.isNew) progress.step(`built in ${formatSpan(Math.round((edges.nowUs() - startedUs) / 1e6) * 1e6)}`);
    tellImage(image, recipe, options, edges);
  },
};

function withToolPath(edges: Edges): RunCommand {
  const env = { ...edges.env, PATH: toolPath(edges.env.PATH) };
  return (argv, options) => runCommand(argv, { env, ...options });
}

function plannedChanges(recipe: Recipe, found: BaseImage | undefined, refresh: boolean): string[] {
  if (found && !refresh) return [];
  const build = `build a version of headstart/${recipe.definition} from ${recipe.packages.length} packages of ${recipe.suite} and what they depend on`;
  return [found ? `${build}, unless ${found.record.name} has their newest versions` : build];
}

function tellPlan(changes: string[], { definition }: Recipe, options: Options, edges: Edges): void {
  if (options.json) printJson(edges, 'BaseImagePlan', { definition, changes });
  else edges.stdout(changes.length === 0 ? 'nothing to do\n' : changes.map((change) => `would ${change}\n`).join(''));
}

function tellImage({ id, isNew, record }: BaseImage, recipe: Recipe, options: Options, edges: Edges): void {
  const bytes = Object.values(record.files).reduce((sum, file) => sum + (file?.bytes ?? 0), 0);
  if (options.json) {
    printJsonLine(edges, 'BaseImage', {
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
  edges.stdout(`${id}  ${recipe.suite}, kernel ${record.tags[BASE_TAGS.kernel] ?? 'unknown'}, ${size}\n`);
  const image = recipe.definition === DEFAULT_IMAGE ? '' : ` --image ${recipe.definition}`;
  if (isNew) edges.stderr(`next:  headstart pool create pool1${image}\n`);
  else if (options.refresh) edges.stderr('it was there already, and there are no newer packages\n');
  else edges.stderr('it was there already; --refresh looks for newer packages\n');
}
