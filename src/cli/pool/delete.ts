// cli/pool/delete.ts: `headstart pool delete NAME`: the pool with its instances and their disks; image versions stay.

import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { findPool } from '../../local/find.ts';
import { recipeName } from '../../prototype/names.ts';
import { type OpenPools, openPools, type PoolOptions, withPoolOptions } from '../compose/open-pools.ts';
import { confirm } from '../confirm.ts';
import { orInterrupted } from '../or-interrupted.ts';
import { printJsonLine } from '../output/json.ts';
import { showProgress } from '../output/progress.ts';
import type { Verb } from '../verb.ts';
import { tellChanges } from './dry-run.ts';
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
    async run([name = ''], options: Options, edges) {
      const factory = await open(options, edges);
      const pool = await findPool(factory, name, {});
      const instances = (await factory.pools.listInstances(pool.ref)).map(({ computerName }) => computerName);
      const what = `delete pool ${name} with ${instances.length === 0 ? 'no instances' : instances.join(', ')} and their disks`;
      if (options.dryRun) return tellChanges(edges, name, [what], options);
      confirm(`${what}?`, options, edges); // before signals are ours: Ctrl-C has to end a question at once
      const signal = edges.signal();
      const progress = showProgress(edges, 'PoolEvent', options);
      progress.step(`deleting pool ${name}`);
      const told = {
        code: 'pool/interrupted',
        kept: `Pool ${name} may be there still, or only a part of it.`,
        next: `headstart pool delete ${name} --yes`,
      };
      await orInterrupted(signal, told, () =>
        factory.pools.deletePool(pool.ref, { signal, onWaiting: progress.waiting }),
      );
      forgetRecipe(homeFolder(options, edges.env), name);
      progress.end();
      if (options.json) return printJsonLine(edges, 'PoolDeleted', { pool: name, instances });
      edges.stdout(`pool ${name} is gone; image versions stay\n`);
    },
  };
}

/** What a prototype run saved for the way back holds the pool's custom data, and would be the wrong way for a new pool of that name. */
function forgetRecipe(home: string, pool: string): void {
  rmSync(join(prototypeFolder(home), `${recipeName(pool)}.json`), { force: true });
}
