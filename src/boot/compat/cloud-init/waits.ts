// boot/compat/cloud-init/waits.ts: which steps of cloud-init are the platform's doing rather than the node's?
import { PRE_PROVISIONED_WAIT } from '../../model/waits.ts';

/**
 * Azure boots a VM ahead of demand and parks it inside its datasource until one is asked for. The steps in which it is
 * parked carry these names in one version or another; their length says nothing about the node.
 */
const PARKED =
  /^azure-ds\/.*(?:poll_imds|poll-imds|media[-_]switch|wait_for_nic_(?:detach|attach)|wait_for_hot_attached|wait_for_\w*reuse|wait_for_all_nics_ready|wait_for_pps|savable_pps|running_pps|unknown_pps|os_disk_pps)/i;

export function platformWait(name: string): string | undefined {
  return name.startsWith('azure-ds/') && PARKED.test(name) ? PRE_PROVISIONED_WAIT : undefined;
}
