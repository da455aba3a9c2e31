// local/find.ts: find a local pool or instance by the name on the command line.
import type { CallOptions } from '../base/call-options.ts';
import { UserError } from '../base/errors.ts';
import { didYouMean } from '../base/nearest-names.ts';
import type { Instance, Pool } from '../vms/pools.ts';
import type { QemuProvider } from '../vms/qemu/local-provider.ts';

type PoolReader = Pick<QemuProvider, 'pools'>;

export async function findLocalPool(provider: PoolReader, name: string, options: CallOptions): Promise<Pool> {
  const pools = await provider.pools.listPools(options);
  const pool = pools.find(({ ref }) => ref.name === name);
  if (pool) return pool;
  const known = pools.map(({ ref }) => ref.name);
  const owner = known.find((each) => name.startsWith(`${each}-`));
  throw unknownName(`there is no pool ${JSON.stringify(name)}`, {
    code: 'pool/no-such-pool',
    what: name,
    known,
    next: owner === undefined ? WHERE_TO_LOOK : `headstart pool show ${owner} lists the instances of pool ${owner}`,
  });
}

/** By its host name. Pool names are unique, and so are instance names. */
export async function findLocalInstance(
  provider: PoolReader & Partial<Pick<QemuProvider, 'standby'>>,
  name: string,
  options: CallOptions & { withStandby?: true },
): Promise<Instance> {
  const pools = await provider.pools.listPools(options);
  const instances = (await Promise.all(pools.map(({ ref }) => provider.pools.listInstances(ref, options)))).flat();
  const instance = instances.find(({ computerName }) => computerName === name);
  if (instance) return instance;
  const parked = options.withStandby && (await findStandby(provider, pools, name));
  if (parked) return parked;
  const pool = pools.find(({ ref }) => ref.name === name);
  throw unknownName(`there is no instance ${JSON.stringify(name)}`, {
    code: 'pool/no-such-instance',
    what: name,
    known: instances.map(({ computerName }) => computerName),
    next: pool ? `that is a pool: headstart pool show ${name}` : WHERE_TO_LOOK,
  });
}

async function findStandby(
  { pools: reader, standby }: PoolReader & Partial<Pick<QemuProvider, 'standby'>>,
  pools: readonly Pool[],
  name: string,
): Promise<Instance | undefined> {
  const states = await Promise.all(pools.map(({ ref }) => standby?.readStandby(ref)));
  const member = states.flatMap((state) => state?.members ?? []).find(({ instance }) => instance.id === name);
  return member && reader.readInstance(member.instance);
}

const MOST_NAMED = 10;

/** Does not suggest creating one: the user may want to delete or stop something. */
const WHERE_TO_LOOK = '`headstart pool list` shows all pools; --home or HEADSTART_HOME selects another folder of pools';

const NOTHING_HERE = 'if it is in another folder of pools, select that with --home or HEADSTART_HOME';

interface UnknownName {
  code: string;
  what: string;
  known: readonly string[];
  next: string;
}

function unknownName(message: string, { code, what, known, next }: UnknownName): UserError {
  const named = known.length > MOST_NAMED ? [...known.slice(0, MOST_NAMED), '…'] : known;
  return new UserError(`${message}${didYouMean(what, known)}; known: ${named.join(', ') || 'none'}`, {
    code,
    kept: 'Nothing was changed.',
    next: known.length === 0 && next === WHERE_TO_LOOK ? NOTHING_HERE : next,
    exitCode: 1,
  });
}
