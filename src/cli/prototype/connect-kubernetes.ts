// cli/prototype/connect-kubernetes.ts: the cluster that a kubeconfig names, and what to do where there is none.
import { systemClock } from '../../base/clock.ts';
import { UserError } from '../../base/errors.ts';
import type { Cluster } from '../../cluster/cluster.ts';
import type { Edges } from '../verb.ts';
import type { ConnectOptions } from './connect.ts';

export async function connectKubernetes(options: ConnectOptions, edges: Edges): Promise<Cluster> {
  const { kubernetesCluster } = await import('../../cluster/kubernetes/cluster.ts');
  const helperImage = options.helperImage ?? edges.env.HEADSTART_HELPER_IMAGE;
  try {
    return await kubernetesCluster({
      clock: systemClock,
      ...(options.kubeconfig !== undefined && { kubeconfig: options.kubeconfig }),
      ...(options.context !== undefined && { context: options.context }),
      ...(options.namespace !== undefined && { namespace: options.namespace }),
      ...(helperImage !== undefined && { helperImage }),
    });
  } catch (cause) {
    if (!(cause instanceof UserError) || cause.code !== 'cluster/no-kubeconfig') throw cause;
    throw new UserError(cause.message, {
      code: cause.code,
      kept: 'Nothing was touched.',
      next: `${cause.next}; a pool that belongs to no cluster takes --no-cluster --pool NAME, one on this machine --vms qemu`,
      cause,
    });
  }
}
