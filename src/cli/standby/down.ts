// cli/standby/down.ts: `headstart standby down POOL`: deletes the standby nodes of a pool; its nodes in service stay.
import { findLocalPool } from '../../local/find.ts';
import { type OpenPools, openPools, type PoolOptions, withPoolOptions } from '../compose/open-pools.ts';
import { confirm } from '../confirm.ts';
import { orInterrupted } from '../or-interrupted.ts';
import { printJsonLine } from '../output/json.ts';
import { showProgress } from '../output/progress.ts';
import { printPoolPlan } from '../pool/dry-run.ts';
import type { Verb } from '../verb.ts';

interface Options extends PoolOptions {
  yes?: boolean;
  dryRun?: boolean;
}

export const verb = standbyDown(openPools);

export function standbyDown(open: OpenPools): Verb {
  return {
    examples: ['standby down pool1', 'standby down pool1 --yes'],
    configure: (command) =>
      withPoolOptions(command)
        .argument('<POOL>', 'the name of the pool')
        .option('--yes', 'do not ask for confirmation')
        .option('--dry-run', 'print what would be deleted, and delete nothing'),
    async run([name = ''], options: Options, deps) {
      const provider = await open(options, deps);
      const { ref } = await findLocalPool(provider, name, {});
      const members = (await provider.standby.readStandby(ref))?.members ?? [];
      const instances = members.map(({ instance }) => instance.id);
      const what = `delete ${instances.join(', ') || 'no nodes'}, and keep no standby nodes in pool ${name}`;
      if (options.dryRun) return printPoolPlan(deps, name, [what], options);
      if (instances.length > 0) confirm(`${what}?`, options, deps);
      const signal = deps.signal();
      const progress = showProgress(deps, 'StandbyEvent', options);
      const interruption = {
        code: 'standby/interrupted',
        kept: 'Some standby nodes may still exist.',
        next: `headstart standby down ${name} --yes`,
      };
      await orInterrupted(signal, interruption, () =>
        provider.standby.deleteStandby(ref, { signal, onWaiting: progress.waiting }),
      );
      progress.end();
      if (options.json) return printJsonLine(deps, 'StandbyDeleted', { pool: name, instances });
      deps.stdout(`pool ${name} keeps no standby nodes\n`);
    },
  };
}
