// cli/prototype/uninstall.ts: `headstart prototype uninstall --pool POOL`: points the pool at a model of your choice, and removes everything that runs added.

import { systemClock } from '../../base/clock.ts';
import { holderName } from '../../cluster/holder.ts';
import { observePool, uninstallPool } from '../../prototype/after/run-uninstall.ts';
import { planUninstall, type UninstallOptions, type UninstallPlan } from '../../prototype/after/uninstall.ts';
import { findOwnPool } from '../../prototype/donor/find-pool.ts';
import { type ConnectSite, connectSite } from '../compose/connect-site.ts';
import { confirm } from '../confirm.ts';
import { hintWithOptions } from '../output/hint-options.ts';
import { printJson, printJsonLine } from '../output/json.ts';
import { printable } from '../output/table.ts';
import type { CliDeps, Verb } from '../verb.ts';
import { type ConnectOptions, withConnectOptions, withNodeAccessOptions } from './connect-options.ts';
import { readCustomData } from './custom-data.ts';
import { PROTECTED_SETTINGS_HELP, readProtectedSettings } from './protected-settings.ts';
import { logLevelOption } from './run-options.ts';
import { type LogLevel, showRun } from './run-progress.ts';

interface Options extends ConnectOptions {
  pool: string;
  to: string;
  customData?: string;
  protectedSettings?: string;
  unseal?: boolean;
  yes?: boolean;
  dryRun?: boolean;
  logLevel: LogLevel;
}

export const verb = uninstallVerb(connectSite);

export function uninstallVerb(connect: ConnectSite): Verb {
  return {
    examples: [
      'prototype uninstall --pool k8s-pool1-12345678-vmss --dry-run',
      'prototype uninstall --pool k8s-pool1-12345678-vmss --to keep --unseal --yes',
    ],
    configure: (command) =>
      withNodeAccessOptions(withConnectOptions(command))
        .requiredOption('--pool <NAME>', 'the pool; on Azure the name of the scale set')
        .option(
          '--to <original|VERSION|keep>',
          'what new instances start from afterwards: the original model, a version (which then stays), or the current model',
          'original',
        )
        .option('--custom-data <FILE>', 'the original bootstrap, if no run saved it')
        .option('--protected-settings <FILE>', PROTECTED_SETTINGS_HELP)
        .option('--unseal', 'also remove the clone check from the nodes, with a short-lived privileged pod on each')
        .option('--yes', 'do not ask for confirmation')
        .option('--dry-run', 'print what would be removed and what would stay, and change nothing')
        .addOption(logLevelOption()),
    async run(_args, options: Options, deps) {
      const wish = wishOf(options);
      const site = await connect(options, deps);
      // Signals are not handled until the user confirms: Ctrl-C must end the question at once.
      const quiet = new AbortController().signal;
      const pool = await findOwnPool(site, options.pool, quiet);
      const request = { pool, gallery: site.gallery, runId: holderName('uninstall'), options: wish };
      const observed = await observePool(request, { ...site.provider, cluster: site.cluster, signal: quiet });
      const plan = planUninstall(observed, { ...wish, unsealed: new Set() });
      const planned = plan.steps.map(({ what }) => what);
      if (options.dryRun || planned.length === 0) return report(pool.name, planned, plan, options, deps);
      deps.stderr(renderAnswer(pool.name, planned, hinted(plan, deps), 'would'));
      confirm(`make these changes to ${pool.name}?`, options, deps);
      const ended = await uninstallPool(request, {
        ...site.provider,
        cluster: site.cluster,
        clock: systemClock,
        signal: deps.signal(),
        onEvent: showRun(deps, options),
      });
      return report(pool.name, ended.done, ended, options, deps);
    },
  };
}

function wishOf({ to, customData, protectedSettings, unseal }: Options): Omit<UninstallOptions, 'unsealed'> {
  return {
    to: to === 'original' || to === 'keep' ? to : { version: to },
    ...(customData !== undefined && { customData: readCustomData(customData) }),
    ...(protectedSettings !== undefined && { protectedSettings: readProtectedSettings(protectedSettings) }),
    isUnsealing: unseal === true,
  };
}

type Remainder = Pick<UninstallPlan, 'kept' | 'sealed'>;

function hinted({ kept, sealed }: Remainder, { typed = [] }: CliDeps): Remainder {
  const hint = (next: string | undefined) => next !== undefined && { next: hintWithOptions(next, typed) };
  return { kept: kept.map((one) => ({ ...one, ...hint(one.next) })), sealed };
}

/** Exit code 4 if something stays that needs an action by the user. */
function report(pool: string, done: string[], left: Remainder, options: Options, deps: CliDeps): number {
  const isDryRun = options.dryRun === true;
  const { kept, sealed } = hinted(left, deps);
  const body = { pool, to: options.to, done, kept, sealed, isDryRun };
  if (options.json && isDryRun) printJson(deps, 'PrototypeUninstall', body);
  else if (options.json) printJsonLine(deps, 'PrototypeUninstall', body);
  else deps.stdout(renderAnswer(pool, done, { kept, sealed }, isDryRun ? 'would' : 'did'));
  return !isDryRun && kept.some(({ next }) => next !== undefined) ? 4 : 0;
}

function renderAnswer(
  pool: string,
  done: readonly string[],
  { kept, sealed }: Remainder,
  tense: 'would' | 'did',
): string {
  const nothing =
    kept.length === 0 ? `nothing that headstart added is left on ${pool}\n` : `nothing to do on ${pool} for now\n`;
  const head = tense === 'would' ? `changes to ${pool} that would be made:\n` : `changes made to ${pool}:\n`;
  const lines = [
    ...(done.length === 0 ? [nothing] : [head, ...done.map((what) => `  ${printable(what)}\n`)]),
    ...kept.map(
      ({ what, because, next }) =>
        `kept: ${printable(what)}: ${printable(because)}\n${next === undefined ? '' : `  next: ${printable(next)}\n`}`,
    ),
    ...(sealed.length === 0
      ? []
      : [
          `the clone check stays on the disks of ${printable(sealed.join(', '))}; it has no effect there, and --unseal removes it\n`,
        ]),
  ];
  return lines.join('');
}
