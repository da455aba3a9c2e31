// vms/qemu/pools/admission.ts: how does an instance of a cluster's pool get to its cluster? At each start it is given a way there, and a short-lived
// credential to ask for a certificate with; both come from outside, so that nothing here knows Kubernetes.
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

/** What units of the guest ask systemd for. */
export const CREDENTIAL_NAME = instanceFiles.credential;

/** Runs `launch` while the credential is on disk: QEMU reads it once, when it starts. */
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

/** Of an instance that is being taken away, or gets another disk. */
export async function removeNode(context: QemuContext, ref: InstanceRef, options: CallOptions = {}): Promise<void> {
  const { cluster } = poolRecordOf(context.home, ref.pool).spec;
  if (cluster !== undefined) await requireJoinCluster(context, ref, cluster).removeNode(cluster, ref, options);
}

export function requireJoinCluster({ joinCluster }: QemuContext, ref: InstanceRef, cluster: string): JoinCluster {
  if (joinCluster) return joinCluster;
  throw new UserError(`${ref.id} is a node of the cluster ${cluster}, which is not at hand`, {
    code: 'vms/no-cluster',
    kept: 'Nothing was changed.',
    exitCode: 1,
  });
}
