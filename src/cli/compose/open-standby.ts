// cli/compose/open-standby.ts: opens the pools of a standby verb, on this machine or on Azure.
import { isOnAzure, type StandbyOptions } from '../standby/vms-option.ts';
import type { CliDeps } from '../verb.ts';
import type { OpenPools, Purpose } from './open-pools.ts';
import type { StandbySite } from './standby-site.ts';

export async function openStandby(
  options: StandbyOptions,
  deps: CliDeps,
  openLocal: OpenPools,
  purpose?: Purpose,
): Promise<StandbySite> {
  if (isOnAzure(options, deps.env)) return (await import('./standby-on-azure.ts')).standbyOnAzure(options, deps);
  const [provider, { findLocalPool }, { awaitAllUp }] = await Promise.all([
    openLocal(options, deps, purpose),
    import('../../local/find.ts'),
    import('../../local/await-up.ts'),
  ]);
  return {
    find: (name, call) => findLocalPool(provider, name, call),
    list: (call) => provider.pools.listPools(call),
    standby: provider.standby,
    awaitReady: (instances, waiting) => awaitAllUp(provider.guests, instances, waiting),
  };
}
