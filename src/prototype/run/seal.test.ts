import { describe, expect, it } from 'vitest';
import { fakeClock } from '../../base/fake-clock.ts';
import { fakeCluster } from '../../cluster/fake/fake-cluster.ts';
import { sealMachine, sealNode, unsealNode } from './seal.ts';

const { signal } = new AbortController();

function answering(stdout: string, exitCode = 0) {
  const cluster = fakeCluster(fakeClock());
  cluster.addNode('n', {});
  cluster.runScript = () => ({ exitCode, stdout, stderr: '' });
  return cluster;
}

describe('sealing', () => {
  it('fails with the reported problems even on exit code 0', async () => {
    for (const stdout of ['', 'seal=failed read-only file system\n'])
      await expect(sealNode(answering(stdout), 'n', 'vm', signal)).rejects.toMatchObject({
        code: 'prototype/not-sealed',
        kept: expect.stringContaining('Nothing was captured'),
      });
  });

  it('does not name a node in the script for a machine outside any cluster', async () => {
    const cluster = answering('');
    await sealMachine(cluster, 'n', '0000-vm', signal).catch(() => undefined);
    await sealNode(cluster, 'n', '0000-vm', signal).catch(() => undefined);
    const [machine, node] = cluster.scripts.map(({ script }) => script);
    expect(machine).toContain('0000-vm');
    expect(node).not.toBe(machine);
  });
});

describe('unsealing', () => {
  it.each(['owner=ok\n', 'owner=absent\n', 'drop-in=ok\nowner=ok\n'])(
    'succeeds when the output mentions the owner: %j',
    async (stdout) => {
      await unsealNode(answering(stdout), 'n', signal);
    },
  );

  it.each([
    ['', 0, 'the output of the script is incomplete'],
    ['drop-in=ok\n', 0, 'the output of the script is incomplete'],
    ['owner=failed busy\n', 0, 'owner: busy'],
    ['drop-in=failed read-only\nowner=ok\n', 0, 'drop-in: read-only'],
    ['owner=ok\n', 1, 'the output of the script is incomplete'],
  ])('fails on output %j with exit code %i', async (stdout, exitCode, reason) => {
    await expect(unsealNode(answering(stdout, exitCode), 'n', signal)).rejects.toMatchObject({
      code: 'prototype/not-unsealed',
      message: expect.stringContaining(reason),
    });
  });
});
