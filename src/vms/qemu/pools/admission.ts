// vms/qemu/pools/admission.ts: how does an instance join its pool's cluster? At each start it gets the API server's address and a
// short-lived bootstrap credential. `JoinCluster` provides both, so that nothing here depends on Kubernetes.
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { CallOptions } from '../../../base/call-options.ts';
import { UserError } from '../../../base/errors.ts';
import { writeFileAtomic } from '../../../base/files.ts';
import type { InstanceRef } from '../../pools.ts';
import type { QemuContext } from '../context.ts';
import { poolRecordOf } from '../home/instance-records.ts';
import { instanceFiles, instanceFolder } from '../home/layout.ts';
import type { Service } from '../local-provider.ts';
import type { JoinCluster } from './join-cluster.ts';

export type { JoinCluster, JoiningInstance } from './join-cluster.ts';

/** The systemd credential that units in the guest load. */
export const CREDENTIAL_NAME = instanceFiles.credential;

/** Runs `launch` while the credential is on disk: QEMU reads it only at startup. */
export async function withCredential<T>(
  context: QemuContext,
  ref: InstanceRef,
  options: CallOptions,
  launch: (server: Service | undefined) => Promise<T>,
): Promise<T> {
  const { cluster } = poolRecordOf(context.home, ref.pool).spec;
  if (cluster === undefined) return launch(undefined);
  const { server, credential } = await requireJoinCluster(context, ref, cluster).admit(cluster, ref, options);
  const file = join(instanceFolder(context.home, ref), instanceFiles.credential);
  try {
    writeFileAtomic(file, credential.reveal(), 0o600);
    return await launch(server);
  } finally {
    await rm(file, { force: true });
  }
}

/** Removes the node of an instance that is being deleted or reimaged; it stays when the cluster does not answer. */
export async function removeNode(context: QemuContext, ref: InstanceRef, options: CallOptions = {}): Promise<void> {
  const { cluster } = poolRecordOf(context.home, ref.pool).spec;
  if (cluster !== undefined) await requireJoinCluster(context, ref, cluster).removeNode(cluster, ref, options);
}

/** The same, but throws a `TransientError` when the cluster does not answer. */
export async function forgetNode(context: QemuContext, ref: InstanceRef, options: CallOptions): Promise<void> {
  const { cluster } = poolRecordOf(context.home, ref.pool).spec;
  if (cluster !== undefined) await requireJoinCluster(context, ref, cluster).forgetNode(cluster, ref, options);
}

export function requireJoinCluster({ joinCluster }: QemuContext, ref: InstanceRef, cluster: string): JoinCluster {
  if (joinCluster) return joinCluster;
  throw new UserError(`${ref.id} is a node of cluster ${cluster}, which this command cannot access`, {
    code: 'vms/no-cluster',
    kept: 'Nothing was changed.',
    exitCode: 1,
  });
}
