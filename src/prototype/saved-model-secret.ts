// prototype/saved-model-secret.ts: in which Secret is a pool's saved model, and whose is it?
import { Forbidden } from '../base/failures.ts';
import type { Cluster } from '../cluster/cluster.ts';
import type { PoolRef } from '../vms/pools.ts';
import { FORMER, savedModelName } from './names.ts';

type Secrets = Pick<Cluster, 'readSecret' | 'writeSecret' | 'deleteSecret'>;
type SecretValues = Readonly<Record<string, string>>;

/** One that the first release saved under the pool's name alone is the pool's own unless it says otherwise. */
export async function readSavedModelSecret(
  cluster: Secrets,
  pool: PoolRef,
  signal?: AbortSignal,
): Promise<SecretValues | undefined> {
  const saved = await cluster.readSecret(savedModelName(pool), signal).catch((error: unknown) => {
    throw withChartAdvice(error, pool);
  });
  return saved ?? readFormer(cluster, pool, signal);
}

/** Adds the pool that it belongs to. */
export async function writeSavedModelSecret(
  cluster: Secrets,
  pool: PoolRef,
  values: SecretValues,
  signal?: AbortSignal,
): Promise<void> {
  await cluster.writeSecret(savedModelName(pool), { ...values, pool: pool.id }, signal);
}

export async function deleteSavedModelSecret(cluster: Secrets, pool: PoolRef, signal?: AbortSignal): Promise<void> {
  const former = await readFormer(cluster, pool, signal);
  await cluster.deleteSecret(savedModelName(pool), signal);
  if (former) await cluster.deleteSecret(FORMER.savedModelName(pool), signal);
}

async function readFormer(
  cluster: Secrets,
  pool: PoolRef,
  signal: AbortSignal | undefined,
): Promise<SecretValues | undefined> {
  const former = await cluster.readSecret(FORMER.savedModelName(pool), signal).catch(unlessForbidden);
  const isOthers = former?.pool !== undefined && former.pool.toLowerCase() !== pool.id.toLowerCase();
  return isOthers ? undefined : former;
}

/** Rights that name the Secret of this release, and not the former one, are of an installation that never had it. */
function unlessForbidden(error: unknown): undefined {
  if (!(error instanceof Forbidden)) throw error;
}

/** The chart's rights are limited to the names of one pool, which contain a hash of its id. */
export function withChartAdvice(error: unknown, pool: PoolRef): unknown {
  if (!(error instanceof Forbidden)) return error;
  const advice = `if the chart runs this: set its value pool, or targetPool, to ${pool.id}`;
  return new Forbidden(error.message, error, error.next === undefined ? advice : `${error.next}; ${advice}`);
}
