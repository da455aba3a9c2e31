// cli/standby/down.ts: `headstart standby down POOL`: deletes the standby nodes of a pool; its nodes in service stay.
import { type OpenPools, openPools } from '../compose/open-pools.ts';
import { openStandby } from '../compose/open-standby.ts';
import { confirm } from '../confirm.ts';
import { orInterrupted } from '../or-interrupted.ts';
import { printJsonLine } from '../output/json.ts';
import { showProgress } from '../output/progress.ts';
import { printPoolPlan } from '../pool/dry-run.ts';
import type { Verb } from '../verb.ts';
import { type StandbyOptions, withStandbyOptions } from './vms-option.ts';

interface Options extends StandbyOptions {
  yes?: boolean;
  dryRun?: boolean;
}

export const verb = standbyDown(openPools);

export function standbyDown(open: OpenPools): Verb {
  return {
    examples: ['standby down pool1', 'standby down pool1 --yes'],
    configure: (command) =>
      withStandbyOptions(command)
        .argument('<POOL>', 'the name of the pool')
        .option('--yes', 'do not ask for confirmation')
        .option('--dry-run', 'print what would be deleted, and delete nothing'),
    async run([name = ''], options: Options, deps) {
      const site = await openStandby(options, deps, open);
      const { ref } = await site.find(name, {});
      const members = (await site.standby.readStandby(ref))?.members ?? [];
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
        site.standby.deleteStandby(ref, { signal, onWaiting: progress.waiting }),
      );
      progress.end();
      if (options.json) return printJsonLine(deps, 'StandbyDeleted', { pool: name, instances });
      deps.stdout(`pool ${name} keeps no standby nodes\n`);
    },
  };
}
