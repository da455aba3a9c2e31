// vms/azure/standby/standby-vms.ts: read VMs that a standby pool made: are they in the pool, and in which state?
import type { VirtualMachine } from '@azure/arm-compute';
import { parseVmId } from '../arm-ids.ts';
import type { AzureCall } from '../connect/connection.ts';
import { undefinedIfMissing } from '../connect/reading.ts';

export interface StandbyVm {
  id: string;
  /** Undefined: no standby pool made this VM. False: it has left the pool. */
  isInPool: boolean | undefined;
  power: 'running' | 'hibernated' | 'deallocated' | 'other';
  provisioning: string;
}

/** Each VM has its own rate limit, so that they can be asked at the same time. */
const AT_ONCE = 8;

/** Those that are gone are left out. */
export async function readStandbyVms(call: AzureCall, ids: readonly string[]): Promise<StandbyVm[]> {
  const found: StandbyVm[] = [];
  for (let i = 0; i < ids.length; i += AT_ONCE) {
    const vms = await Promise.all(ids.slice(i, i + AT_ONCE).map((id) => readStandbyVm(call, id)));
    found.push(...vms.filter((vm) => vm !== undefined));
  }
  return found;
}

async function readStandbyVm(call: AzureCall, id: string): Promise<StandbyVm | undefined> {
  const ref = parseVmId(id);
  if (ref?.mode !== 'flexible') return undefined;
  const vm = await undefinedIfMissing(() =>
    call.run(`VM ${ref.name}`, () =>
      call.compute(ref.subscriptionId).virtualMachines.get(ref.resourceGroup, ref.name, { expand: 'instanceView' }),
    ),
  );
  return vm && standbyVmOf(id, vm);
}

export function standbyVmOf(id: string, vm: Pick<VirtualMachine, 'instanceView' | 'provisioningState'>): StandbyVm {
  const codes = (vm.instanceView?.statuses ?? []).map(({ code }) => code?.toLowerCase() ?? '');
  const power = codes.includes('hibernationstate/hibernated')
    ? 'hibernated'
    : codes.includes('powerstate/deallocated')
      ? 'deallocated'
      : codes.includes('powerstate/running')
        ? 'running'
        : 'other';
  const { isVMInStandbyPool: isInPool } = vm.instanceView ?? {};
  return { id, isInPool, power, provisioning: vm.provisioningState ?? 'unknown' };
}
