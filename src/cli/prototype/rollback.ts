// cli/prototype/rollback.ts: `headstart prototype rollback [--to VERSION|original]`: points a pool at an earlier version, in one conditional update.

import { type Clock, systemClock } from '../../base/clock.ts';
import { holderName } from '../../cluster/holder.ts';
import { chooseRollback, type RollbackRequest, rollBackPool } from '../../prototype/after/run-rollback.ts';
import { describeImage } from '../../prototype/after/status.ts';
import { findOwnPool } from '../../prototype/donor/find-pool.ts';
import { readSavedExtension } from '../../prototype/saved-extension.ts';
import { type ConnectSite, connectSite } from '../compose/connect-site.ts';
import { printJson } from '../output/json.ts';
import { printable } from '../output/table.ts';
import type { Verb } from '../verb.ts';
import { type ConnectOptions, withConnectOptions } from './connect-options.ts';
import { readCustomData } from './custom-data.ts';
import { PROTECTED_SETTINGS_HELP, readProtectedSettings } from './protected-settings.ts';
import { showRetries } from './run-progress.ts';

interface Options extends ConnectOptions {
  pool: string;
  to?: string;
  clearBad?: boolean;
  customData?: string;
  protectedSettings?: string;
  dryRun?: boolean;
}

export const verb = rollbackVerb(connectSite);

export function rollbackVerb(connect: ConnectSite, clock: Clock = systemClock): Verb {
  return {
    examples: ['prototype rollback --pool pool1', 'prototype rollback --pool pool1 --to original --dry-run'],
    configure: (command) =>
      withConnectOptions(command)
        .requiredOption('--pool <NAME>', 'the pool; on Azure the name of the scale set')
        .option('--to <VERSION|original>', 'the version to return to; default: the good version before the current one')
        .option('--clear-bad', 'with --to VERSION: the version is good after all; remove its mark and use it')
        .option('--custom-data <FILE>', 'the original bootstrap, if no run saved it')
        .option('--protected-settings <FILE>', PROTECTED_SETTINGS_HELP)
        .option('--dry-run', 'print the change, and change nothing'),
    async run(_args, options: Options, deps) {
      const signal = deps.signal();
      const site = await connect(options, deps);
      const ref = await findOwnPool(site, options.pool, signal);
      const isDryRun = options.dryRun === true;
      const wish = wishOf(options);
      const { pool, change, left, cleared, isFinished } = isDryRun
        ? await chooseRollback(site, ref, wish, signal)
        : await rollBackPool(
            site,
            { pool: ref, holder: holderName('rollback'), ...wish },
            { clock, signal, onEvent: showRetries(deps) },
          );
      const body = {
        pool: ref.name,
        from: describeImage(isFinished && left ? { kind: 'version', id: left.id } : pool.model.image),
        to: describeImage(change.image),
        markedBad: left?.name,
        clearedBad: cleared?.name,
        restoredExtensions: change.extensions.add.map((extension) => readSavedExtension(extension).name),
        isDryRun,
        ...(isFinished && { isFinished }),
      };
      if (options.json) return printJson(deps, 'PrototypeRollback', body);
      if (isFinished) {
        deps.stdout(
          `${body.pool} starts from ${body.to}: an earlier rollback, which did not end, has left ${left?.name ?? 'its version'}; ` +
            `${isDryRun ? 'nothing would change' : 'the model was not changed again'}\n`,
        );
        return;
      }
      deps.stdout(
        `${isDryRun ? 'would point' : 'pointed'} ${body.pool} from ${body.from} at ${body.to}; existing instances do not change\n`,
      );
      if (body.restoredExtensions.length > 0)
        deps.stdout(`${isDryRun ? 'would restore' : 'restored'} ${printable(body.restoredExtensions.join(', '))}\n`);
      if (body.markedBad !== undefined) {
        deps.stdout(
          `${isDryRun ? 'would mark' : 'marked'} version ${body.markedBad} bad: no run or rollback uses it without --clear-bad\n`,
        );
      }
      if (body.clearedBad !== undefined)
        deps.stdout(`${isDryRun ? 'would remove' : 'removed'} the mark of version ${body.clearedBad}\n`);
    },
  };
}

function wishOf({ to, clearBad, customData, protectedSettings }: Options): RollbackRequest {
  return {
    to,
    ...(clearBad && { clearsBad: true }),
    ...(customData !== undefined && { readBootstrap: () => readCustomData(customData) }),
    ...(protectedSettings !== undefined && {
      readProtectedSettings: () => readProtectedSettings(protectedSettings),
    }),
  };
}
