// cli/compose/connect-kubernetes.ts: connects to the cluster of a kubeconfig, and says what to do without one.
import { systemClock } from '../../base/clock.ts';
import { UserError } from '../../base/errors.ts';
import type { Cluster } from '../../cluster/cluster.ts';
import type { HelperOptions } from '../../cluster/kubernetes/helper-pod.ts';
import type { ConnectOptions } from '../prototype/connect-options.ts';
import type { CliDeps } from '../verb.ts';

type KubernetesOptions = Pick<
  ConnectOptions,
  'kubeconfig' | 'context' | 'namespace' | 'helperImage' | 'helperPullSecret'
>;

export async function connectKubernetes(options: KubernetesOptions, { env }: CliDeps): Promise<Cluster> {
  const { kubernetesCluster } = await import('../../cluster/kubernetes/cluster.ts');
  const { kubeconfig, context, namespace } = options;
  try {
    return await kubernetesCluster({
      clock: systemClock,
      kubeconfig,
      context,
      namespace,
      helper: helperOptions(options, env),
    });
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

/** The chart sets the variables: its rights are limited to this pod's name. */
export function helperOptions(
  { helperImage, helperPullSecret }: Pick<ConnectOptions, 'helperImage' | 'helperPullSecret'>,
  env: CliDeps['env'],
): HelperOptions | undefined {
  const image = helperImage ?? env.HEADSTART_HELPER_IMAGE;
  if (!image) return undefined;
  const names = (helperPullSecret ?? env.HEADSTART_HELPER_PULL_SECRETS ?? '').split(',').map((name) => name.trim());
  return { image, pullSecrets: names.filter((name) => name !== ''), name: env.HEADSTART_HELPER_NAME || undefined };
}
