// demo/kubernetes/image-node.ts: what is a node told that boots from an image of ours? Its cluster, how to join it, and a network for pods: one
// document in its user data, the same for all nodes of a pool, and nothing secret in it.
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
/** Well formed, and kubelet does not start with it. With room for more pods, and so for fewer on the way back, for which a node in service is drained. */
export const BAD_CHANGE = { ...CHANGE, kubelet: { maxPods: 130, config: { tlsMinVersion: 'VersionTLS99' } } } as const;

/** As `headstart cluster node-config` has it, with what is asked for, and in a hurry: nobody watches a demo for minutes. */
export function imageDocument({ kubelet = {}, sysctls = {}, ...node }: ImageNode): string {
  const { spec, ...document } = nodeDocument({ ...node, endpoint: API_SERVER, hasBridge: true });
  const update = { ...spec.update, pollEvery: '5s', health: { ...spec.update.health, commitAfter: '10s' } };
  return `${JSON.stringify({ ...document, spec: { ...spec, kubelet, os: { sysctls }, update } }, null, 1)}\n`;
}
