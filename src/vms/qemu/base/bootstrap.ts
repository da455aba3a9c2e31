// vms/qemu/base/bootstrap.ts: run mmdebstrap to list an image's packages, or to unpack them into a folder.

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { WaitReporter } from '../../../base/call-options.ts';
import type { RunCommand } from '../../../base/command.ts';
import { UserError } from '../../../base/errors.ts';
import { customizeScript, installScript } from '../../../host/debian/customize-script.ts';
import { mmdebstrapProgress } from '../../../host/debian/mmdebstrap-progress.ts';
import type { PackageSources } from '../../../host/debian/package-sources.ts';
import { type Packages, parseInstallPlan } from '../../../host/debian/packages.ts';
import type { ToolArgv } from '../../../host/required-tools.ts';
import type { Recipe } from './recipe.ts';

export interface BootstrapDeps {
  /** Runs a command as root, in new namespaces that end with it. */
  runAsRoot: RunCommand;
  /** Scratch space, private to this user. */
  folder: string;
  signal?: AbortSignal | undefined;
  onWaiting?: WaitReporter | undefined;
}

const DEADLINE_MS = 60 * 60_000;

/** The packages that would be installed today; installs nothing. */
export async function resolvePackages(recipe: Recipe, sources: PackageSources, deps: BootstrapDeps): Promise<Packages> {
  deps.onWaiting?.('the package lists');
  let plan = '';
  const target = join(deps.folder, 'plan');
  await bootstrap(recipe, sources, { ...deps, target, isSimulated: true, onText: (text) => (plan += text) });
  const packages = parseInstallPlan(plan);
  if (packages.size > 0) return packages;
  throw new Error('mmdebstrap --simulate printed no packages');
}

/** Returns the folder with the packages. `count`: the number of packages, for progress. */
export async function unpackPackages(
  recipe: Recipe,
  sources: PackageSources,
  deps: BootstrapDeps & { count: number },
): Promise<string> {
  const target = join(deps.folder, 'rootfs');
  const onText = mmdebstrapProgress(deps);
  await bootstrap(recipe, sources, { ...deps, target, isSimulated: false, onText });
  return target;
}

interface Bootstrap extends BootstrapDeps {
  target: string;
  isSimulated: boolean;
  onText: (text: string) => void;
}

async function bootstrap(recipe: Recipe, sources: PackageSources, work: Bootstrap): Promise<void> {
  const { runAsRoot, folder, target, isSimulated, signal, onText } = work;
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  // In files and on standard input: every user can read a command line, and these may contain a mirror's or proxy's password.
  const aptConf = join(folder, 'apt.conf');
  writeFileSync(aptConf, sources.aptConf, { mode: 0o600 });
  const hasSources = sources.lines.length > 0;
  const ran = await runAsRoot(bootstrapArgv(recipe, { target, aptConf, hasSources, isSimulated }), {
    timeoutMs: DEADLINE_MS,
    signal,
    onStderr: onText,
    ...(hasSources && { input: `${sources.lines.join('\n')}\n` }),
  });
  signal?.throwIfAborted();
  if (ran.code === 0) return;
  throw new UserError(`mmdebstrap could not unpack ${recipe.suite} (${ran.outcome}): ${lastWords(ran.stderr)}`, {
    code: 'pool/no-packages',
    kept: 'No image was published.',
    next: 'check that `apt-get update` works on this machine, then run the same command again',
    exitCode: 1,
  });
}

interface BootstrapPaths {
  target: string;
  aptConf: string;
  hasSources: boolean;
  isSimulated: boolean;
}

export function bootstrapArgv(recipe: Recipe, { target, aptConf, hasSources, isSimulated }: BootstrapPaths): ToolArgv {
  const excluded = ['/usr/share/man/*', '/usr/share/doc/*', '/usr/share/info/*', '/usr/share/locale/*/*'];
  return [
    ...(['mmdebstrap', '--variant=minbase', '--mode=root', '--architectures=amd64'] as const),
    ...['--verbose', isSimulated ? '--simulate' : '--format=directory'],
    `--include=${recipe.packages.join(',')}`,
    `--aptopt=${aptConf}`,
    ...excluded.map((pattern) => `--dpkgopt=path-exclude=${pattern}`),
    // A build that is interrupted starts over, so syncing after every file would only cost time.
    '--dpkgopt=force-unsafe-io',
    `--essential-hook=${installScript(recipe.initrdFiles)}`,
    `--customize-hook=${customizeScript(recipe)}`,
    recipe.suite,
    target,
    ...(hasSources ? ['-'] : []),
  ];
}

function lastWords(stderr: string): string {
  return stderr.trim().split('\n').slice(-3).join(' / ').slice(-500);
}
