// cli/pool/list.ts: `headstart pool list`: lists the pools on this machine.

import { type OpenPools, openPools, type PoolOptions, withPoolOptions } from '../compose/open-pools.ts';
import { hintWithOptions } from '../output/hint-options.ts';
import { printJson } from '../output/json.ts';
import { screenOf } from '../output/screen.ts';
import { printable, renderTable } from '../output/table.ts';
import type { Verb } from '../verb.ts';
import { shortImageName } from './view.ts';

interface PoolLine {
  name: string;
  image: string;
  instances: number;
  running: number;
  /** Instances whose image differs from the image of new instances. */
  stale: number;
}

export const verb = poolList(openPools);

export function poolList(open: OpenPools): Verb {
  return {
    examples: ['pool list', 'pool list --json'],
    configure: withPoolOptions,
    async run(_args, options: PoolOptions, deps) {
      const signal = deps.signal();
      const provider = await open(options, deps);
      const pools = await Promise.all(
        (await provider.pools.listPools({ signal })).map(async ({ ref, model }): Promise<PoolLine> => {
          const instances = await provider.pools.listInstances(ref, { signal });
          const image = shortImageName(model.image);
          return {
            name: ref.name,
            image,
            instances: instances.length,
            running: instances.filter(({ power }) => power === 'running').length,
            stale: instances.filter((instance) => shortImageName(instance.image) !== image).length,
          };
        }),
      );
      if (options.json) return printJson(deps, 'PoolList', { pools });
      if (pools.length === 0) {
        const how = hintWithOptions('`headstart pool create NAME` creates one', deps.typed ?? []);
        return deps.stdout(`no pools yet: ${printable(how)}\n`);
      }
      deps.stdout(
        renderTable(
          [
            { title: 'POOL', cell: (pool) => pool.name },
            { title: 'RUNNING', align: 'right', cell: (pool) => `${pool.running}/${pool.instances}` },
            {
              title: 'STALE',
              align: 'right',
              cell: (pool) => String(pool.stale),
              style: ({ stale }) => (stale > 0 ? 'warning' : undefined),
            },
            { title: 'NEW INSTANCES START FROM', cell: (pool) => pool.image },
          ],
          pools,
          screenOf(deps),
        ),
      );
    },
  };
}
