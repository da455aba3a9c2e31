// vms/azure/mark-instance.ts: set protection and tags of an instance with a minimal body: sending the whole VM would need rights to all it refers to.
import type { CallOptions } from '../../base/call-options.ts';
import type { InstanceRef, Protection, TagChange } from '../pools.ts';
import type { Azure } from './azure.ts';
import type { AzureCall } from './connect/connection.ts';
import { runOperation } from './connect/operations.ts';
import { instanceVm, readMember } from './instances.ts';
import { poolScaleSet } from './read-scale-set.ts';
import { tagsAfter } from './tags.ts';
import { protectionOf } from './vm.ts';

/** The same URL for both kinds of scale set: uniform since API version 2019-03-01, flexible since 2023-09-01. */
export async function setProtection(
  azure: Azure,
  instance: InstanceRef,
  wanted: Protection,
  options?: CallOptions,
): Promise<void> {
  const call = await azure.open(options);
  const member = await readMember(call, poolScaleSet(instance.pool), instanceVm(instance));
  const seen = protectionOf(member);
  if (seen.fromScaleIn === wanted.fromScaleIn && seen.fromPoolActions === wanted.fromPoolActions) return;
  await putMember(call, instance, 'protecting', {
    location: member.location,
    tags: member.tags,
    etag: member.etag,
    protection: wanted,
  });
}

export async function tagInstance(
  azure: Azure,
  instance: InstanceRef,
  changes: TagChange,
  options?: CallOptions,
): Promise<void> {
  const call = await azure.open(options);
  const vm = instanceVm(instance);
  if (vm.mode === 'uniform') {
    const member = await readMember(call, poolScaleSet(instance.pool), vm);
    const tags = tagsAfter(member.tags, changes);
    if (!tags) return;
    await putMember(call, instance, 'tagging', {
      location: member.location,
      tags,
      etag: member.etag,
      protection: protectionOf(member),
    });
    return;
  }
  const compute = call.compute(vm.subscriptionId);
  const found = await call.run(`VM ${vm.name}`, () => compute.virtualMachines.get(vm.resourceGroup, vm.name));
  const tags = tagsAfter(found.tags, changes);
  if (!tags) return;
  await runOperation(call, { verb: 'tagging', thing: `VM ${vm.name}` }, () =>
    compute.virtualMachines.update(vm.resourceGroup, vm.name, { tags }, found.etag ? { ifMatch: found.etag } : {}),
  );
}

interface MemberUpdate {
  location: string;
  tags: Record<string, string> | undefined;
  etag: string | undefined;
  protection: Protection;
}

/** Always sends tags and protection: it is not documented whether a PUT keeps the fields it omits. */
async function putMember(call: AzureCall, instance: InstanceRef, verb: string, marks: MemberUpdate): Promise<void> {
  const owner = poolScaleSet(instance.pool);
  const vm = instanceVm(instance);
  const memberId = vm.mode === 'uniform' ? vm.instanceId : vm.name;
  await runOperation(call, { verb, thing: `instance ${memberId} of ${owner.name}` }, () =>
    call.compute(owner.subscriptionId).virtualMachineScaleSetVMs.update(
      owner.resourceGroup,
      owner.name,
      memberId,
      {
        location: marks.location,
        ...(marks.tags && { tags: marks.tags }),
        protectionPolicy: {
          protectFromScaleIn: marks.protection.fromScaleIn,
          protectFromScaleSetActions: marks.protection.fromPoolActions,
        },
      },
      marks.etag ? { ifMatch: marks.etag } : {},
    ),
  );
}
