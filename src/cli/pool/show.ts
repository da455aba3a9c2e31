// cli/pool/show.ts: `headstart pool show NAME`: shows the model of a pool and the state of its instances.

import { findLocalPool } from '../../local/find.ts';
import { type OpenPools, openPools, type PoolOptions, withPoolOptions } from '../compose/open-pools.ts';
import { printJson } from '../output/json.ts';
import { screenOf } from '../output/screen.ts';
import type { Verb } from '../verb.ts';
import { readPoolView, renderPool } from './view.ts';

export const verb = poolShow(openPools);

export function poolShow(open: OpenPools): Verb {
  return {
    examples: ['pool show pool1', 'pool show pool1 --json'],
    configure: (command) => withPoolOptions(command).argument('<NAME>', 'the name of the pool'),
    async run([name = ''], options: PoolOptions, deps) {
      const signal = deps.signal();
      const provider = await open(options, deps);
      const view = await readPoolView(provider, await findLocalPool(provider, name, { signal }), signal);
      if (options.json) return printJson(deps, 'Pool', view);
      deps.stdout(renderPool(view, deps.nowUs() / 1000, screenOf(deps)));
    },
  };
}
