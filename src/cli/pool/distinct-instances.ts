// cli/pool/distinct-instances.ts: `headstart node distinct` where pools are: it also takes the names of instances.
import { findLocalInstance, findLocalPool } from '../../local/find.ts';
import { readIdentities, readPoolIdentities } from '../../local/read-identities.ts';
import { type OpenPools, openPools } from '../compose/open-pools.ts';
import { nodeDistinct } from '../node/distinct.ts';
import { orInterrupted } from '../or-interrupted.ts';
import type { Verb } from '../verb.ts';
import { type HomeOptions, withHomeOption } from './home.ts';

interface Options extends HomeOptions {
  pool?: string;
}

export const verb = distinctInstances(openPools);

export function distinctInstances(open: OpenPools): Verb {
  return nodeDistinct({
    examples: ['node distinct pool1-000001 pool1-000002', 'node distinct --pool pool1 --json'],
    argument: 'instances of local pools, or files that --collect printed; a file has a slash or a dot in its name',
    configure(command) {
      command.option('--pool <NAME>', 'all instances of this local pool, parked ones included');
      withHomeOption(command);
    },
    async read(names, options: Options, deps) {
      if (names.length === 0 && options.pool === undefined) return undefined;
      const signal = deps.signal();
      const provider = await open(options, deps);
      const interruption = { code: 'node/interrupted', kept: 'Nothing was changed.', next: 'run it again' };
      return orInterrupted(signal, interruption, async () => {
        const ofPool =
          options.pool === undefined
            ? []
            : await readPoolIdentities(provider, (await findLocalPool(provider, options.pool, { signal })).ref, {
                signal,
              });
        const others = names.filter((name) => !ofPool.some((one) => one.name === name));
        const named = await Promise.all(
          others.map((name) => findLocalInstance(provider, name, { signal, withStandby: true })),
        );
        return [...ofPool, ...(await readIdentities(provider, named, { signal }))];
      });
    },
  });
}
