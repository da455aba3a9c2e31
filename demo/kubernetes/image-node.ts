// demo/kubernetes/image-node.ts: which document configures a node of our image? Its cluster, how to join it, and a network for pods: one
// document in its user data, the same for all nodes of a pool, without secrets.
import { nodeDocument } from '../../src/local/node-document.ts';
import { API_SERVER } from './settings.ts';

export interface ImageNode {
  cluster: string;
  /** Of the cluster (PEM). */
  ca: string;
  /** `1.35.8`, as the image has it. */
  kubernetes: string;
  generation: number;
  kubelet?: object;
  sysctls?: Readonly<Record<string, string | number>>;
}

/** A kubelet setting that is seen on the Node, and one of the kernel: neither takes a drain or a reboot. */
export const CHANGE = { kubelet: { maxPods: 120 }, sysctls: { 'vm.max_map_count': 300_000 } } as const;
/** Valid, but kubelet does not start with it. It raises maxPods, so that the rollback lowers it, which requires a drain. */
export const BAD_CHANGE = { ...CHANGE, kubelet: { maxPods: 130, config: { tlsMinVersion: 'VersionTLS99' } } } as const;

/** The output of `headstart cluster node-config` with the changes, and short timeouts so that the demo stays short. */
export function imageDocument({ kubelet = {}, sysctls = {}, ...node }: ImageNode): string {
  const { spec, ...document } = nodeDocument({ ...node, endpoint: API_SERVER, hasBridge: true });
  const update = { ...spec.update, pollEvery: '5s', health: { ...spec.update.health, commitAfter: '10s' } };
  return `${JSON.stringify({ ...document, spec: { ...spec, kubelet: { ...spec.kubelet, ...kubelet }, os: { sysctls }, update } }, null, 1)}\n`;
}
