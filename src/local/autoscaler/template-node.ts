// local/autoscaler/template-node.ts: how would a new node of a pool look? cluster-autoscaler asks when the pool has none. Pure.
import type { Model } from '../../vms/pools.ts';
import type { Size } from '../../vms/qemu/local-provider.ts';

export interface NodeFacts {
  labels: Readonly<Record<string, string>>;
  taints: readonly { key: string; value?: string | undefined; effect: string }[];
}

interface Quantity {
  text: string;
}

export interface TemplateNode {
  metadata: { name: string; labels: Record<string, string> };
  spec: { providerId: string; taints: { key: string; value: string; effect: string }[] };
  status: {
    capacity: Record<string, Quantity>;
    allocatable: Record<string, Quantity>;
    conditions: { type: string; status: string }[];
  };
}

/** kubelet's default. */
const PODS = 110;
const ARCHITECTURES: Readonly<Record<Model['architecture'], string>> = { x64: 'amd64', Arm64: 'arm64' };

/** Of memory; the kernel, and what kubelet keeps free, take the rest. An estimate that is too high makes the autoscaler add useless nodes. */
const USABLE = 0.85;

export function templateNode(
  { pool, size, architecture }: { pool: string; size: Size; architecture: Model['architecture'] },
  { labels, taints }: NodeFacts,
): TemplateNode {
  const name = `${pool}-template`;
  const amounts = (memoryMb: number): Record<string, Quantity> => ({
    cpu: { text: String(size.cpus) },
    memory: { text: `${memoryMb}Mi` },
    'ephemeral-storage': { text: `${size.diskGb}Gi` },
    pods: { text: String(PODS) },
  });
  return {
    metadata: {
      name,
      labels: {
        'kubernetes.io/arch': ARCHITECTURES[architecture],
        'kubernetes.io/hostname': name,
        'kubernetes.io/os': 'linux',
        ...labels,
      },
    },
    spec: {
      providerId: `qemu:///${pool}/${name}`,
      taints: taints.map(({ key, value = '', effect }) => ({ key, value, effect })),
    },
    status: {
      capacity: amounts(size.memoryMb),
      allocatable: amounts(Math.floor(size.memoryMb * USABLE)),
      conditions: [{ type: 'Ready', status: 'True' }],
    },
  };
}
