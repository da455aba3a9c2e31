// cli/pool/set.ts: `headstart pool set NAME`: sets the user data that the metadata service gives to a pool's instances.
import { UserError } from '../../base/errors.ts';
import { findLocalPool } from '../../local/find.ts';
import { type OpenPools, openPools, type PoolOptions, withPoolOptions } from '../compose/open-pools.ts';
import { printJson } from '../output/json.ts';
import type { Verb } from '../verb.ts';
import { readData } from './arguments.ts';
import { printPoolPlan } from './dry-run.ts';

interface Options extends PoolOptions {
  /** false: `--no-user-data`. */
  userData?: string | false;
  instance?: string;
  dryRun?: boolean;
}

export const verb = poolSet(openPools);

export function poolSet(open: OpenPools): Verb {
  return {
    examples: ['pool set pool1 --user-data node-config.yaml', 'pool set pool1 --instance pool1-000002 --no-user-data'],
    configure: (command) =>
      withPoolOptions(command)
        .argument('<NAME>', 'the name of the pool')
        .option('--user-data <FILE>', 'the new user data; running instances see it at once')
        .option('--no-user-data', 'remove the user data')
        .option('--instance <NAME>', 'change only this instance; default: all instances without their own user data')
        .option('--dry-run', 'print what would change, and change nothing'),
    async run([name = ''], options: Options, deps) {
      if (options.userData === undefined) {
        throw new UserError('nothing to set', {
          code: 'pool/nothing-to-set',
          next: 'add --user-data FILE or --no-user-data',
        });
      }
      const userData = options.userData === false ? null : readData(options.userData, '--user-data');
      const signal = deps.signal();
      const provider = await open(options, deps);
      const pool = await findLocalPool(provider, name, { signal });
      const instances = options.instance === undefined ? [] : await provider.pools.listInstances(pool.ref, { signal });
      const instance = instances.find(({ computerName }) => computerName === options.instance);
      if (options.instance !== undefined && !instance) throw notInPool(options.instance, name);
      const target = options.instance ?? name;
      const change = `${userData === null ? 'remove the user data of' : 'set the user data of'} ${target}`;
      if (options.dryRun) return printPoolPlan(deps, name, [change], options);
      await provider.pools.setUserData(instance?.ref ?? pool.ref, userData, { signal });
      if (options.json) {
        const body = { pool: name, ...(options.instance !== undefined && { instance: options.instance }) };
        return printJson(deps, 'PoolSet', { ...body, hasUserData: userData !== null });
      }
      deps.stdout(`${target} ${userData === null ? 'no longer has its own user data' : 'has new user data'}\n`);
    },
  };
}

function notInPool(instance: string, pool: string): UserError {
  return new UserError(`${JSON.stringify(instance)} is not an instance of ${pool}`, {
    code: 'pool/no-such-instance',
    next: `headstart pool show ${pool}`,
    exitCode: 1,
  });
}
