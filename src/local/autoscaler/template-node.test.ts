import { describe, expect, it } from 'vitest';
import { templateNode } from './template-node.ts';

const size = { cpus: 2, memoryMb: 1000, diskGb: 8 };

describe('the template of a node', () => {
  it('has the size of the pool, and less memory for pods than the VM has', () => {
    const { status } = templateNode({ pool: 'web', size, architecture: 'Arm64' }, { labels: {}, taints: [] });
    expect(status.capacity).toMatchObject({ cpu: { text: '2' }, memory: { text: '1000Mi' }, pods: { text: '110' } });
    expect(status.allocatable).toMatchObject({ memory: { text: '850Mi' }, 'ephemeral-storage': { text: '8Gi' } });
    expect(status.conditions).toEqual([{ type: 'Ready', status: 'True' }]);
  });

  it('has labels and taints of the node document', () => {
    const { metadata, spec } = templateNode(
      { pool: 'web', size, architecture: 'x64' },
      { labels: { tier: 'front' }, taints: [{ key: 'only', effect: 'NoSchedule' }] },
    );
    expect(metadata.labels).toEqual({
      'kubernetes.io/arch': 'amd64',
      'kubernetes.io/hostname': 'web-template',
      'kubernetes.io/os': 'linux',
      tier: 'front',
    });
    expect(spec.taints).toEqual([{ key: 'only', value: '', effect: 'NoSchedule' }]);
  });
});
