// prototype/run/observe.ts: reads the current state before every decision. Cloud resources, the node and the lease are the journal.

import type { Clock } from '../../base/clock.ts';
import { NotFound } from '../../base/failures.ts';
import type { Cluster } from '../../cluster/cluster.ts';
import { classifyPods } from '../../cluster/drain/which-pods.ts';
import type { Instance, InstanceRef, PoolRef } from '../../vms/pools.ts';
import type { VmProvider } from '../../vms/provider.ts';
import type { Snapshot } from '../../vms/snapshots.ts';
import { datedSnapshotName, leaseName, prototypeDefinitionName, snapshotName, TAGS } from '../names.ts';
import { savedModelState } from '../saved-model.ts';
import { readSavedModelSecret } from '../saved-model-secret.ts';
import { isSameMachine } from './same-machine.ts';
import { type Intent, isLeftover, type RunWorld } from './scene.ts';

export interface ObserveDeps extends Omit<VmProvider, 'publisher'> {
  cluster: Cluster;
  clock: Clock;
  signal: AbortSignal;
}

export async function observeWorld(intent: Intent, donorRef: InstanceRef, deps: ObserveDeps): Promise<RunWorld> {
  const { pools, snapshots, gallery, cluster, clock, signal } = deps;
  const { pool: poolRef } = donorRef;
  const [pool, { donor, node }, lease, usual, definition, savedModel] = await Promise.all([
    pools.readPool(poolRef, { signal }),
    observeDonor(intent, donorRef, deps),
    cluster.readLease(leaseName(poolRef), signal),
    snapshots.readSnapshot(snapshotName(poolRef), { signal }),
    gallery.readDefinition(intent.gallery, prototypeDefinitionName(poolRef), { signal }),
    readSavedModelSecret(cluster, poolRef, signal),
  ]);
  if (!pool) throw new NotFound(`pool ${poolRef.name}`);
  const versions = definition ? await gallery.listVersions(definition, { signal }) : [];
  const isLeft = usual && isLeftover(usual, versions, { today: intent.version, image: pool.model.image });
  const snapshot = isLeft
    ? await snapshots.readSnapshot(datedSnapshotName(usual.name, intent.version), { signal })
    : usual;
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
    leftover: isLeft ? usual : undefined,
    savedModel: savedModelState(savedModel, pool, definition),
    isSnapshotDonorGone: await isSnapshotDonorGone(intent, donor, snapshot, poolRef, deps),
    references: undefined,
  };
}

async function isSnapshotDonorGone(
  { nodeName }: Intent,
  donor: Instance | undefined,
  snapshot: Snapshot | undefined,
  pool: PoolRef,
  { pools, signal }: ObserveDeps,
): Promise<boolean> {
  if (!snapshot) return false;
  const { [TAGS.donor]: owner, [TAGS.donorVmId]: vmId } = snapshot.tags;
  const isOwn = owner === nodeName && (vmId === undefined || !donor || isSameMachine(vmId, donor.vmId));
  if (isOwn) return false;
  const instances = await pools.listInstances(pool, { signal });
  return !instances.some((instance) =>
    vmId === undefined ? instance.computerName === owner : isSameMachine(vmId, instance.vmId),
  );
}

export async function observeDonor(
  intent: Intent,
  donorRef: InstanceRef,
  { pools, cluster, signal }: Pick<ObserveDeps, 'pools' | 'cluster' | 'signal'>,
): Promise<Pick<RunWorld, 'donor' | 'node'>> {
  if (intent.isDonorGone) return { donor: undefined, node: undefined };
  const [donor, node] = await Promise.all([
    pools.readInstance(donorRef, { signal }),
    cluster.readNode(intent.nodeName, signal),
  ]);
  // A node of the same name on another VM is a different node: the donor's Node is gone.
  return { donor, node: node && donor && isSameMachine(node.systemUuid, donor.vmId) ? node : undefined };
}
