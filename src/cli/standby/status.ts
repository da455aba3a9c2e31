// cli/standby/status.ts: `headstart standby status [POOL]`: which standby nodes are there, and why is each one kept or not?
import { type OpenPools, openPools } from '../compose/open-pools.ts';
import { openStandby } from '../compose/open-standby.ts';
import { printJson } from '../output/json.ts';
import { screenOf } from '../output/screen.ts';
import type { Verb } from '../verb.ts';
import { renderStandby, standbyView } from './view.ts';
import { type StandbyOptions, withStandbyOptions } from './vms-option.ts';

export const verb = standbyStatus(openPools);

export function standbyStatus(open: OpenPools): Verb {
  return {
    examples: ['standby status', 'standby status pool1 --json'],
    configure: (command) => withStandbyOptions(command).argument('[POOL]', 'the name of the pool; default: all pools'),
    async run([name], options: StandbyOptions, deps) {
      const signal = deps.signal();
      const site = await openStandby(options, deps, open);
      const pools = name === undefined ? await site.list({ signal }) : [await site.find(name, { signal })];
      const views = await Promise.all(
        pools.map(async ({ ref }) => standbyView(ref.name, await site.standby.readStandby(ref, { signal }))),
      );
      if (options.json) return printJson(deps, 'StandbyList', { pools: views });
      if (views.length === 0) return deps.stdout('no pools\n');
      deps.stdout(views.map((view) => renderStandby(view, deps.nowUs() / 1000, screenOf(deps))).join('\n'));
    },
  };
}
