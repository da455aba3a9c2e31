// boot/compat/cloud-init/waits.ts: in which steps does cloud-init wait for the platform?
import { PRE_PROVISIONED_WAIT } from '../../model/waits.ts';

/**
 * Azure boots VMs ahead of demand and parks them in the datasource until they are claimed. These are the names, in various
 * versions of cloud-init, of the steps in which a VM is parked. Their duration does not depend on the node.
 */
const PARKED =
  /^azure-ds\/.*(?:poll_imds|poll-imds|media[-_]switch|wait_for_nic_(?:detach|attach)|wait_for_hot_attached|wait_for_\w*reuse|wait_for_all_nics_ready|wait_for_pps|savable_pps|running_pps|unknown_pps|os_disk_pps)/i;

export function platformWait(name: string): string | undefined {
  return name.startsWith('azure-ds/') && PARKED.test(name) ? PRE_PROVISIONED_WAIT : undefined;
}
