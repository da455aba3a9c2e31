// cli/compose/open-node-reader.ts: how does `boot collect --node` reach a node? Through the cluster of a kubeconfig, with a read-only pod.
import { systemClock } from '../../base/clock.ts';
import type { NodeReader } from '../../cluster/cluster.ts';
import type { HelperOptions } from '../../cluster/kubernetes/helper-pod.ts';
import type { ConnectOptions } from '../prototype/connect-options.ts';
import type { CliDeps } from '../verb.ts';
import { helperOptions } from './connect-kubernetes.ts';

export type NodeReaderOptions = Pick<
  ConnectOptions,
  'kubeconfig' | 'context' | 'namespace' | 'helperImage' | 'helperPullSecret'
>;

/** A parameter of verbs, so that tests can pass a fake. */
export type OpenNodeReader = (options: NodeReaderOptions, deps: CliDeps) => Promise<NodeReader>;

export const openNodeReader: OpenNodeReader = async (options, deps) => {
  const { kubernetesNodeReader } = await import('../../cluster/kubernetes/read-node.ts');
  const { kubeconfig, context, namespace } = options;
  return kubernetesNodeReader({ clock: systemClock, kubeconfig, context, namespace }, readerHelper(options, deps.env));
};

/** Small, has nsenter, and is in every mirror of public images. */
const DEFAULT_IMAGE = 'busybox:stable';

/** The name in the chart's variables is the one of the pod that changes nodes, so it is not used here. */
export function readerHelper(options: NodeReaderOptions, env: CliDeps['env']): HelperOptions {
  const image = options.helperImage ?? env.HEADSTART_HELPER_IMAGE ?? DEFAULT_IMAGE;
  const { pullSecrets = [] } = helperOptions({ ...options, helperImage: image }, env) ?? {};
  return { image, pullSecrets };
}
