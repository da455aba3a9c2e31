// node/desired/aspects/labels-taints.ts: which labels and taints does the Node have? kubelet sets them only when it registers. Afterwards the
// node may change its labels, but only the control plane may change taints.

import type { JsonObject } from '../../../schema/json.ts';
import type { Taint } from '../../document/config.ts';
import type { AspectFunction } from './aspect.ts';

export const labelsTaintsAspect: AspectFunction = ({ cluster, labels, taints }) => {
  if (cluster === undefined) return {};
  const entries = Object.entries(labels).sort(([a], [b]) => (a < b ? -1 : 1));
  return {
    kubeletFlags:
      entries.length > 0 ? { 'node-labels': entries.map(([key, value]) => `${key}=${value}`).join(',') } : {},
    kubeletConfig: taints.length > 0 ? { registerWithTaints: taints.map(toRegister) } : {},
    live: [
      ...entries.map(([key, value]) => ({ kind: 'label', key, value, aspect: 'labels-taints' }) as const),
      ...taints.map((taint) => ({ ...liveTaint(taint), kind: 'taint', aspect: 'labels-taints' }) as const),
    ],
  };
};

/** A Node has at most one taint per key and effect. */
export function liveTaint({ key, effect, value }: Taint): { key: string; value: string } {
  return { key: `${key}:${effect}`, value: value ?? '' };
}

function toRegister({ key, value, effect }: Taint): JsonObject {
  return { key, effect, ...(value !== undefined && { value }) };
}
