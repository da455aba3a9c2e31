import { describe, expect, it } from 'vitest';
import { poolSpec } from '../../vms/qemu/testing.ts';
import { nodeFactsOf } from './node-facts.ts';

const document = {
  apiVersion: 'headstart.dev/v1',
  kind: 'NodeConfig',
  metadata: { generation: 1 },
  spec: {
    kubernetes: { version: '1.35.8' },
    labels: { tier: 'front' },
    taints: [{ key: 'only', value: 'web', effect: 'NoSchedule' }],
  },
};
const factsOf = (userData: string | undefined) =>
  nodeFactsOf(poolSpec('x', userData === undefined ? {} : { userData: Buffer.from(userData).toString('base64') }), 0);

describe('the labels and taints of new nodes', () => {
  it('are those of the node config in the user data', async () => {
    expect(await factsOf(JSON.stringify(document))).toEqual({
      labels: { tier: 'front' },
      taints: [{ key: 'only', value: 'web', effect: 'NoSchedule' }],
    });
  });

  it.each([undefined, '#cloud-config\n', '{"kind": "NodeConfig"}'])('are none with user data %j', async (text) => {
    expect(await factsOf(text)).toEqual({ labels: {}, taints: [] });
  });
});
