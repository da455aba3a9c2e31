// prototype/run/observe.ts: reads the current state before every decision. Cloud resources, the node and the lease are the journal.

import type { Clock } from '../../base/clock.ts';
import { NotFound } from '../../base/failures.ts';
import type { Cluster } from '../../cluster/cluster.ts';
import { classifyPods } from '../../cluster/drain/which-pods.ts';
import type { InstanceRef } from '../../vms/pools.ts';
import type { VmProvider } from '../../vms/provider.ts';
import { leaseName, prototypeDefinitionName, savedModelName, snapshotName } from '../names.ts';
import { savedModelState } from '../saved-model.ts';
import { isSameMachine } from './same-machine.ts';
import type { Intent, RunWorld } from './scene.ts';

export interface ObserveDeps extends Omit<VmProvider, 'publisher'> {
  cluster: Cluster;
  clock: Clock;
  signal: AbortSignal;
}

export async function observeWorld(intent: Intent, donorRef: InstanceRef, deps: ObserveDeps): Promise<RunWorld> {
  const { pools, snapshots, gallery, cluster, clock, signal } = deps;
  const { pool: poolRef } = donorRef;
  const [pool, { donor, node }, lease, snapshot, definition, savedModel] = await Promise.all([
    pools.readPool(poolRef, { signal }),
    observeDonor(intent, donorRef, deps),
    cluster.readLease(leaseName(poolRef.name), signal),
    snapshots.readSnapshot(snapshotName(poolRef.name), { signal }),
    gallery.readDefinition(intent.gallery, prototypeDefinitionName(poolRef.name), { signal }),
    cluster.readSecret(savedModelName(poolRef.name), signal),
  ]);
  if (!pool) throw new NotFound(`pool ${poolRef.name}`);
  const versions = definition ? await gallery.listVersions(definition, { signal }) : [];
  const pods = node ? await cluster.listPods(node.name, signal) : [];
  return {
    nowMs: clock.nowMs(),
    pool,
    node,
    donor,
    podsToMove: classifyPods(pods, { isForced: true }).evict,
    podsRefused: classifyPods(pods, { isForced: intent.isDrainForced }).refuse.map(
      ({ pod, reason }) => `${pod.namespace}/${pod.name} (${reason})`,
    ),
    lease,
    definition,
    versions,
    snapshot,
    savedModel: savedModelState(savedModel, pool, definition),
    references:
      definition && versions.length > intent.imageHistory
        ? await gallery.referencedImages(definition, { signal })
        : undefined,
  };
}

export async function observeDonor(
  intent: Intent,
  donorRef: InstanceRef,
  { pools, cluster, signal }: Pick<ObserveDeps, 'pools' | 'cluster' | 'signal'>,
): Promise<Pick<RunWorld, 'donor' | 'node'>> {
  const [donor, node] = await Promise.all([
    pools.readInstance(donorRef, { signal }),
    cluster.readNode(intent.nodeName, signal),
  ]);
  // A node of the same name on another VM is a different node: the donor's Node is gone.
  return { donor, node: node && donor && isSameMachine(node.systemUuid, donor.vmId) ? node : undefined };
}
