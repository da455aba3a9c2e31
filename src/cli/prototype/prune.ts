// cli/prototype/prune.ts: `headstart prototype prune`: deletes old versions that are not in use.

import { InvalidArgumentError } from 'commander';
import { systemClock } from '../../base/clock.ts';
import { holderName } from '../../cluster/holder.ts';
import { prunable, prunePool } from '../../prototype/after/run-prune.ts';
import { findOwnPool } from '../../prototype/donor/find-pool.ts';
import { type ConnectSite, connectSite } from '../compose/connect-site.ts';
import { confirm } from '../confirm.ts';
import { printJson } from '../output/json.ts';
import type { CliDeps, Verb } from '../verb.ts';
import { type ConnectOptions, withConnectOptions } from './connect-options.ts';
import { showRetries } from './run-progress.ts';

interface Options extends ConnectOptions {
  pool: string;
  imageHistory: number;
  yes?: boolean;
  dryRun?: boolean;
}

export const verb = pruneVerb(connectSite);

export function pruneVerb(connect: ConnectSite): Verb {
  return {
    examples: ['prototype prune --pool pool1 --dry-run', 'prototype prune --pool pool1 --image-history 2 --yes'],
    configure: (command) =>
      withConnectOptions(command)
        .requiredOption('--pool <NAME>', 'the pool; on Azure the name of the scale set')
        .option('--image-history <N>', 'how many versions to keep', wholeNumber, 3)
        .option('--yes', 'do not ask for confirmation')
        .option('--dry-run', 'print what would be deleted, and delete nothing'),
    async run(_args, options: Options, deps) {
      const site = await connect(options, deps);
      // Signals are not handled until the user confirms: Ctrl-C must end the question at once.
      const quiet = new AbortController().signal;
      const pool = await findOwnPool(site, options.pool, quiet);
      const going = await prunable(site, pool, options.imageHistory, quiet);
      if (going.length === 0 || options.dryRun) return answer(going, options, deps);
      confirm(`delete ${going.join(', ')} of ${pool.name} permanently?`, options, deps);
      const order = { pool, history: options.imageHistory, agreed: going, holder: holderName('prune') };
      const pruneDeps = { clock: systemClock, signal: deps.signal(), onEvent: showRetries(deps) };
      return answer(await prunePool(site, order, pruneDeps), options, deps);
    },
  };
}

function answer(names: readonly string[], options: Options, deps: CliDeps): void {
  const isDryRun = options.dryRun === true;
  const text = `${isDryRun ? 'would delete' : 'deleted'} ${names.join(', ')}\n`;
  if (options.json) printJson(deps, 'PrototypePrune', { pool: options.pool, deleted: names, isDryRun });
  else deps.stdout(names.length === 0 ? 'nothing to delete\n' : text);
}

function wholeNumber(text: string): number {
  const value = Number(text);
  if (Number.isInteger(value) && value >= 1) return value;
  throw new InvalidArgumentError(`"${text}" is not a whole number of at least 1.`);
}
