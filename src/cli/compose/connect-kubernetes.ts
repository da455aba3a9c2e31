// cli/compose/connect-kubernetes.ts: connects to the cluster of a kubeconfig, and says what to do without one.
import { systemClock } from '../../base/clock.ts';
import { UserError } from '../../base/errors.ts';
import type { Cluster } from '../../cluster/cluster.ts';
import type { ConnectOptions } from '../prototype/connect-options.ts';
import type { CliDeps } from '../verb.ts';

type KubernetesOptions = Pick<ConnectOptions, 'kubeconfig' | 'context' | 'namespace' | 'helperImage'>;

export async function connectKubernetes(options: KubernetesOptions, { env }: CliDeps): Promise<Cluster> {
  const { kubernetesCluster } = await import('../../cluster/kubernetes/cluster.ts');
  const { kubeconfig, context, namespace, helperImage = env.HEADSTART_HELPER_IMAGE } = options;
  try {
    return await kubernetesCluster({ clock: systemClock, kubeconfig, context, namespace, helperImage });
  } catch (cause) {
    if (!(cause instanceof UserError) || cause.code !== 'cluster/no-kubeconfig') throw cause;
    throw new UserError(cause.message, {
      code: cause.code,
      kept: 'Nothing was touched.',
      next: `${cause.next}; for a pool without a cluster use --no-cluster --pool NAME, for a pool on this machine --vms qemu`,
      cause,
    });
  }
}
