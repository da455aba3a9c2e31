import { describe, expect, it } from 'vitest';
import { fakeClock } from '../../../base/fake-clock.ts';
import { fakeCluster } from '../../../cluster/fake/fake-cluster.ts';
import { inspectionOf } from '../testing.ts';
import { inspectDonor, type ScriptChannel } from './inspect-donor.ts';

function inspectOver(channel: ScriptChannel, answer: { exitCode?: number; stdout?: string; stderr?: string }) {
  const cluster = fakeCluster(fakeClock());
  cluster.addNode('n1');
  cluster.runScript = () => ({ exitCode: 0, stdout: '', stderr: '', ...answer });
  return inspectDonor(cluster, 'n1', new AbortController().signal, channel);
}

describe('inspectDonor', () => {
  it('reads plain output on a private channel', async () => {
    expect(await inspectOver('private', { stdout: inspectionOf('vm-1') })).toMatchObject({
      isComplete: true,
      vmId: 'vm-1',
    });
  });

  it('rejects plain output that came through a log', async () => {
    await expect(inspectOver('logged', { stdout: inspectionOf('vm-1') })).rejects.toThrow();
  });

  it('rejects truncated output and names the node', async () => {
    const cut = inspectionOf('vm-1').replace('end\n', '');
    await expect(inspectOver('private', { stdout: cut })).rejects.toMatchObject({
      code: 'prototype/not-inspected',
      message: 'n1 could not be inspected: the output of the script is incomplete',
      next: expect.stringContaining('check the node'),
    });
  });

  it('shows the last stderr line of a failed script on a private channel', async () => {
    const failed = { exitCode: 1, stderr: 'first\nsudo: a password is required\n' };
    await expect(inspectOver('private', failed)).rejects.toThrow('(sudo: a password is required)');
  });
});
