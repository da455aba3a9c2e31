// cli/compose/standby-on-azure.ts: the standby pools of Azure's scale sets, for the standby verbs.
import { systemClock } from '../../base/clock.ts';
import { createAzureStandby } from '../../vms/azure/azure-standby.ts';
import { awaitFilled } from '../../vms/azure/standby/await-filled.ts';
import { showWaiting } from '../output/progress.ts';
import type { StandbyOptions } from '../standby/vms-option.ts';
import type { CliDeps } from '../verb.ts';
import { openAzure } from './open-azure.ts';
import type { StandbySite } from './standby-site.ts';

export async function standbyOnAzure(options: StandbyOptions, deps: CliDeps): Promise<StandbySite> {
  const { provider, settings, credential } = await openAzure(options, deps);
  const clock = systemClock;
  const standby = createAzureStandby(settings, { clock, credential, onWaiting: showWaiting(deps) });
  return {
    find: async (name, call) => ({ ref: await provider.pools.findPool(name, call) }),
    list: async (call) => (await provider.pools.listPools(call)).map((ref) => ({ ref })),
    standby: {
      ...standby,
      // Azure fills the pool by itself.
      refill: async () => {},
      async fillStandby(ref, call = {}) {
        await awaitFilled(standby, ref, clock, call);
        return { isBusy: false };
      },
    },
  };
}
