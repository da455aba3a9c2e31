// cli/pool/served-pools.ts: which pools does `pool serve` serve, within which limits, and on which address?
import { isIP } from 'node:net';
import { InvalidArgumentError } from 'commander';
import { UserError } from '../../base/errors.ts';
import { TARGET_TAG } from '../../local/autoscaler/node-group.ts';
import type { ListenAddress } from '../../local/autoscaler/serve.ts';
import { findLocalPool } from '../../local/find.ts';
import type { PoolRef } from '../../vms/pools.ts';
import type { QemuProvider } from '../../vms/qemu/local-provider.ts';

export interface ServedPool {
  name: string;
  min: number;
  max: number;
}

const [MIN, MAX, MOST] = [0, 10, 100];

/** `NAME` or `NAME:MIN:MAX`, for a repeatable option. */
export function addServedPool(text: string, before: readonly ServedPool[] = []): ServedPool[] {
  const [, name, min = `${MIN}`, max = `${MAX}`] = /^([a-z0-9-]+)(?::(\d{1,3}):(\d{1,3}))?$/.exec(text) ?? [];
  if (name === undefined)
    throw new InvalidArgumentError(`"${text}" is not of the form NAME or NAME:MIN:MAX, such as pool1:0:5.`);
  const pool = { name, min: Number(min), max: Number(max) };
  if (pool.min > pool.max || pool.max > MOST)
    throw new InvalidArgumentError(`${name}: the minimum is at most the maximum, and that at most ${MOST}.`);
  if (before.some((one) => one.name === name)) throw new InvalidArgumentError(`pool ${name} is given twice.`);
  return [...before, pool];
}

export interface FoundPool extends ServedPool {
  ref: PoolRef;
  /** How many nodes it has or was asked for. */
  size: number;
}

/** All pools of the home when none is named. */
export async function servedPools(
  provider: Pick<QemuProvider, 'pools'>,
  named: readonly ServedPool[] | undefined,
  signal: AbortSignal,
): Promise<FoundPool[]> {
  const all = await provider.pools.listPools({ signal });
  const chosen = named ?? all.map(({ ref: { name } }) => ({ name, min: MIN, max: MAX }));
  if (chosen.length === 0)
    throw new UserError('this machine has no pools to serve', {
      code: 'pool/none',
      kept: 'Nothing was started.',
      next: 'headstart pool create pool1 --count 0 --cluster local',
      exitCode: 1,
    });
  const found = chosen.map(async (one): Promise<FoundPool> => {
    const { ref, tags } = await findLocalPool(provider, one.name, { signal });
    const { length } = await provider.pools.listInstances(ref, { signal });
    return { ...one, ref, size: Math.max(length, Math.min(one.max, Number(tags[TARGET_TAG] ?? 0))) };
  });
  return Promise.all(found);
}

/** `HOST:PORT`, `[ADDRESS]:PORT` or `PORT`. */
export function listenAddress(text: string): ListenAddress {
  const [, bracketed, plain, port] = /^(?:(?:\[([^\]]+)\]|([^:]+)):)?(\d{1,5})$/.exec(text) ?? [];
  if (port === undefined || Number(port) > 65_535)
    throw new InvalidArgumentError(`"${text}" is not an address such as 127.0.0.1:8086.`);
  return { host: bracketed ?? plain ?? '127.0.0.1', port: Number(port) };
}

/** Names are not looked up: `localhost` is the only one that certainly is this machine. */
export function isLoopback({ host }: ListenAddress): boolean {
  if (host === 'localhost' || host === '::1') return true;
  return isIP(host) === 4 && host.startsWith('127.');
}
