// cli/pool/find.ts: which pool or instance of this machine does a name on the command line mean?
import { UserError } from '../../base/errors.ts';
import type { CallOptions, Instance, Pool } from '../../vms/factory.ts';
import type { QemuFactory } from '../../vms/qemu/local-factory.ts';

type Known = Pick<QemuFactory, 'listPools' | 'listInstances'>;

export async function findPool(factory: Known, name: string, options: CallOptions): Promise<Pool> {
  const pools = await factory.listPools(options);
  const pool = pools.find(({ ref }) => ref.name === name);
  if (pool) return pool;
  throw unknown(`there is no pool ${JSON.stringify(name)}`, {
    code: 'pool/no-such-pool',
    known: pools.map(({ ref }) => ref.name),
    next: pools.length > 0 ? 'headstart pool list' : `headstart pool create ${isPlain(name) ? name : 'NAME'}`,
  });
}

/** By the name its guest has, which is what people see; names of pools are unique, and so are those of instances. */
export async function findInstance(factory: Known, name: string, options: CallOptions): Promise<Instance> {
  const pools = await factory.listPools(options);
  const instances = (await Promise.all(pools.map(({ ref }) => factory.listInstances(ref, options)))).flat();
  const instance = instances.find(({ computerName }) => computerName === name);
  if (instance) return instance;
  const pool = pools.find(({ ref }) => ref.name === name);
  throw unknown(`there is no instance ${JSON.stringify(name)}`, {
    code: 'pool/no-such-instance',
    known: instances.map(({ computerName }) => computerName),
    next: pool ? `that is a pool: headstart pool show ${name}` : 'headstart pool list',
  });
}

const MOST_NAMED = 10;

function unknown(what: string, { code, known, next }: { code: string; known: string[]; next: string }): UserError {
  const named = known.length > MOST_NAMED ? [...known.slice(0, MOST_NAMED), '…'] : known;
  return new UserError(`${what}; known: ${named.join(', ') || 'none'}`, { code, next, exitCode: 1 });
}

function isPlain(name: string): boolean {
  return /^[a-z][a-z0-9-]*$/.test(name);
}
