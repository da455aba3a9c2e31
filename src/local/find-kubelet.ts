// local/find-kubelet.ts: which port of this machine is forwarded to a node's kubelet?
import type { ClusterPlace } from '../cluster/local/cluster-files.ts';
import { instanceRecordsOf } from '../vms/qemu/home/instance-records.ts';
import type { QemuProvider } from '../vms/qemu/local-provider.ts';
import { poolsOfCluster } from './cluster-pools.ts';

/** Reads the pools at every call: pools change, and the port changes at each start. */
export function kubeletFinder(
  place: ClusterPlace,
  provider: Pick<QemuProvider, 'guests'>,
): (address: string) => Promise<number | undefined> {
  return async (address) => {
    for (const pool of poolsOfCluster(place)) {
      const instance = instanceRecordsOf(place.home, pool).find((record) => record.address === address);
      if (instance) return (await provider.guests.readDetails({ pool, id: instance.id })).kubeletPort;
    }
    return undefined;
  };
}
