// vms/azure/standby/describe-state.ts: what Azure says about a standby pool as the state of the contract. Pure.
import type { PoolRef } from '../../pools.ts';
import type { StandbyCounts, StandbyMember, StandbyState, StandbyTier } from '../../standby.ts';
import { STATES } from './properties.ts';
import type { AzureStandbyPool, RuntimeView } from './schema.ts';
import type { StandbyVm } from './standby-vms.ts';

const TIER_OF = { running: 'paused', hibernated: 'frozen', deallocated: 'stopped' } as const;

/** Only VMs in exactly the wanted state are handed out. */
export function memberOf(pool: PoolRef, { properties }: AzureStandbyPool, vm: StandbyVm, counts: StandbyCounts) {
  const tier: StandbyTier | undefined = vm.power === 'other' ? undefined : TIER_OF[vm.power];
  const isFailed = vm.provisioning === 'Failed';
  const isWanted = tier !== undefined && counts[tier] > 0;
  const isReady = isWanted && vm.provisioning === 'Succeeded';
  const wanted = properties.virtualMachineState === 'Mix' ? 'one of the mix' : properties.virtualMachineState;
  const member: StandbyMember = {
    instance: { pool, id: vm.id },
    tier: tier && isWanted ? tier : slowestOf(counts),
    state: isFailed ? 'broken' : isReady ? 'ready' : 'preparing',
    why: isFailed
      ? `provisioning failed, so Azure does not hand it out; if it stays: az vm delete --ids ${vm.id}`
      : isReady
        ? `VM is ${STATES[tier].toLowerCase()}`
        : `VM is ${vm.power === 'other' ? vm.provisioning.toLowerCase() : vm.power}, wanted: ${wanted}`,
  };
  return member;
}

function slowestOf(counts: StandbyCounts): StandbyTier {
  return counts.stopped > 0 ? 'stopped' : counts.frozen > 0 ? 'frozen' : 'paused';
}

export function stateOf(counts: StandbyCounts, members: StandbyMember[], view: RuntimeView | undefined): StandbyState {
  const trouble = troubleOf(view);
  return { policy: { counts }, members, ...(trouble !== undefined && { trouble }) };
}

/** With the counts by state: the service knows of VMs that it has not listed yet. */
function troubleOf(view: RuntimeView | undefined): string | undefined {
  const { status } = view?.properties ?? {};
  if (!status?.code || /healthy$/i.test(status.code)) return undefined;
  const counts = describeCounts(view);
  return `Azure reports ${status.code}${status.message ? `: ${status.message}` : ''}${counts ? ` (${counts})` : ''}`;
}

/** `2 Creating, 1 Deallocating`; zones are added up. */
export function describeCounts(view: RuntimeView | undefined): string {
  const sums = new Map<string, number>();
  for (const { instanceCountsByState } of view?.properties.instanceCountSummary ?? [])
    for (const { state, count } of instanceCountsByState) sums.set(state, (sums.get(state) ?? 0) + count);
  return [...sums].flatMap(([state, count]) => (count > 0 ? [`${count} ${state}`] : [])).join(', ');
}
