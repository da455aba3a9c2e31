// cli/pool/node-facts.ts: which labels and taints do new nodes of a pool get? From the node config in its user data.
import type { NodeFacts } from '../../local/autoscaler/template-node.ts';
import type { PoolSpec } from '../../vms/qemu/local-provider.ts';

/** Pools whose nodes are configured in another way have none that we know. */
export async function nodeFactsOf({ userData, size }: PoolSpec, nowMs: number): Promise<NodeFacts> {
  if (userData === undefined) return { labels: {}, taints: [] };
  const [{ parseDocument }, { NODE_CONFIG_VERSIONS }] = await Promise.all([
    import('../../node/document/document.ts'),
    import('../../node/document/schema/convert.ts'),
  ]);
  const parsed = await parseDocument(Buffer.from(userData, 'base64'), {
    image: { configApiVersions: [...NODE_CONFIG_VERSIONS], signers: [], defaults: {}, kubernetesVersion: undefined },
    machine: { cpus: size.cpus, memoryBytes: size.memoryMb * 2 ** 20 },
    nowMs,
  });
  if (parsed.outcome === 'refused') return { labels: {}, taints: [] };
  const { labels, taints } = parsed.config;
  return { labels, taints };
}
