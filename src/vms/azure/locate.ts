// vms/azure/locate.ts: parse a node's provider id. Node names are not enough: each pool chooses its name prefix.
import { Refused } from '../../base/failures.ts';
import { parseVmId, type VmRef } from './arm-ids.ts';

/** `azure:///subscriptions/…`, ignoring case, in any resource group. */
export function parseProviderId(providerId: string): VmRef {
  const id = /^azure:\/\/(\/.+)$/i.exec(providerId.trim())?.[1];
  if (!id) throw new Refused(`'${providerId}' is not an Azure provider id`, 'vms/not-an-instance');
  const vm = parseVmId(id.replace(/\/+$/, ''));
  if (!vm) throw new Refused(`'${providerId}' does not name a virtual machine`, 'vms/not-an-instance');
  return vm;
}
