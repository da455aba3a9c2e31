// sims/azure/compute/virtual-machines.ts: the instances of Flexible sets, through the API of virtual machines.
import { ArmError } from '../service/arm-error.ts';
import type { ArmAnswer, ArmCall } from '../service/call.ts';
import { fieldAt, type JsonObject, objectAt } from '../service/json.ts';
import { page } from '../service/pages.ts';
import { groupId, keyOf, type SimInstance, type SimScaleSet, type SimWorld, timestamp } from '../world.ts';
import { instanceView } from './instance-view.ts';
import { deleteMember, etagOf, updateMember, vmProfile } from './instances.ts';
import { requireVm } from './lookup.ts';

export function getVm(world: SimWorld, call: ArmCall): ArmAnswer {
  const { set, instance } = requireVm(world, call);
  const body = vmBody(world, set, instance, call.query.get('$expand') === 'instanceView');
  return { status: 200, headers: { etag: etagOf(instance) }, body };
}

export function getVmView(world: SimWorld, call: ArmCall): ArmAnswer {
  const { set, instance } = requireVm(world, call);
  return { status: 200, body: vmView(world, set, instance) };
}

/** In a resource group or the whole subscription; `$filter='virtualMachineScaleSet/id' eq '…'` names one set. */
export function listVms(world: SimWorld, call: ArmCall): ArmAnswer {
  const prefix = call.params.group === undefined ? '/' : `${keyOf(groupId(world, call.params.group))}/`;
  const filter = call.query.get('$filter');
  const wanted = filter === null ? undefined : /^'virtualMachineScaleSet\/id' eq '([^']+)'$/.exec(filter)?.[1];
  if (filter !== null && wanted === undefined) {
    throw new ArmError(400, 'BadRequest', `The filter '${filter}' is not supported by the simulator.`);
  }
  const value = Object.values(world.instances)
    .filter(({ mode, id }) => mode === 'Flexible' && keyOf(id).startsWith(prefix))
    // A VM that waits in a standby pool is not yet one of the set: inferred, because instances are counted without it.
    .filter(
      ({ scaleSetId, standby }) =>
        wanted === undefined || (keyOf(scaleSetId) === keyOf(wanted) && standby?.isIn !== true),
    )
    .flatMap((instance) => {
      const set = world.scaleSets[keyOf(instance.scaleSetId)];
      return set ? [vmBody(world, set, instance, call.query.get('$expand') === 'instanceView')] : [];
    });
  return page(call, value);
}

/** Only the tags of a VM can change here. */
export function patchVm(world: SimWorld, call: ArmCall): ArmAnswer {
  const { set, instance } = requireVm(world, call);
  return updateMember(world, call, instance, {
    change: () => undefined,
    body: (changed) => vmBody(world, set, changed, false),
  });
}

export function deleteVm(world: SimWorld, call: ArmCall): ArmAnswer {
  return deleteMember(world, call, requireVm(world, call).instance);
}

/** Documented: only VMs that a standby pool made have `isVMInStandbyPool`, and keep it after their move. */
function vmView(world: SimWorld, set: SimScaleSet, instance: SimInstance): JsonObject {
  const { placementGroupId: _, ...view } = instanceView(world, set, instance);
  return { ...view, ...(instance.standby && { isVMInStandbyPool: instance.standby.isIn }) };
}

function vmBody(world: SimWorld, set: SimScaleSet, instance: SimInstance, isExpanded: boolean): JsonObject {
  const priority = fieldAt(instance.profile, 'priority');
  return {
    name: instance.name,
    id: instance.id,
    type: 'Microsoft.Compute/virtualMachines',
    location: instance.location,
    tags: instance.tags,
    etag: etagOf(instance),
    ...(set.top.zones !== undefined && { zones: set.top.zones }),
    ...(set.top.plan !== undefined && { plan: set.top.plan }),
    properties: {
      hardwareProfile: { vmSize: objectAt(set.top, 'sku')?.name ?? 'Standard_D4s_v5' },
      provisioningState: instance.state,
      vmId: instance.vmId,
      ...vmProfile(world, instance),
      ...(instance.standby?.isIn !== true && { virtualMachineScaleSet: { id: set.id } }),
      ...(priority !== undefined && { priority }),
      timeCreated: timestamp(instance.createdMs),
      ...(isExpanded && { instanceView: vmView(world, set, instance) }),
    },
  };
}
