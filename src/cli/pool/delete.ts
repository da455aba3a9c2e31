// cli/pool/delete.ts: `headstart pool delete NAME`: deletes a pool with its instances and their disks; image versions stay.

import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { findLocalPool } from '../../local/find.ts';
import { FORMER, lastRunName, savedModelName } from '../../prototype/names.ts';
import type { PoolRef } from '../../vms/pools.ts';
import { type OpenPools, openPools, type PoolOptions, withPoolOptions } from '../compose/open-pools.ts';
import { confirm } from '../confirm.ts';
import { orInterrupted } from '../or-interrupted.ts';
import { printJsonLine } from '../output/json.ts';
import { showProgress } from '../output/progress.ts';
import type { Verb } from '../verb.ts';
import { printPoolPlan } from './dry-run.ts';
import { homeFolder, prototypeFolder } from './home.ts';

interface Options extends PoolOptions {
  yes?: boolean;
  dryRun?: boolean;
}

export const verb = poolDelete(openPools);

export function poolDelete(open: OpenPools): Verb {
  return {
    examples: ['pool delete pool1', 'pool delete pool1 --yes'],
    configure: (command) =>
      withPoolOptions(command)
        .argument('<NAME>', 'the name of the pool')
        .option('--yes', 'do not ask for confirmation')
        .option('--dry-run', 'print what would be deleted, and delete nothing'),
    async run([name = ''], options: Options, deps) {
      const provider = await open(options, deps);
      const pool = await findLocalPool(provider, name, {});
      const instances = (await provider.pools.listInstances(pool.ref)).map(({ computerName }) => computerName);
      const what = `delete pool ${name} with ${instances.length === 0 ? 'no instances' : instances.join(', ')} and their disks`;
      if (options.dryRun) return printPoolPlan(deps, name, [what], options);
      confirm(`${what}?`, options, deps); // before signals are handled: Ctrl-C must end the question at once
      const signal = deps.signal();
      const progress = showProgress(deps, 'PoolEvent', options);
      progress.step(`deleting pool ${name}`);
      const interruption = {
        code: 'pool/interrupted',
        kept: `Pool ${name} may still exist, completely or in part.`,
        next: `headstart pool delete ${name} --yes`,
      };
      await orInterrupted(signal, interruption, () =>
        provider.pools.deletePool(pool.ref, { signal, onWaiting: progress.waiting }),
      );
      deleteRecords(homeFolder(options, deps.env), pool.ref);
      progress.end();
      if (options.json) return printJsonLine(deps, 'PoolDeleted', { pool: name, instances });
      deps.stdout(`pool ${name} is deleted; image versions stay\n`);
    },
  };
}

/** The saved model of a prototype run contains the pool's custom data. It and the last run would be wrong for a new pool of the same name. */
function deleteRecords(home: string, pool: PoolRef): void {
  for (const name of [savedModelName(pool), FORMER.savedModelName(pool), lastRunName(pool)])
    rmSync(join(prototypeFolder(home), `${name}.json`), { force: true });
}
