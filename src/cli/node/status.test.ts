import { describe, expect, it } from 'vitest';
import { INITIAL } from '../../node/daemon/machine.ts';
import type { NodeStandby } from '../../node/daemon/state.ts';
import { statusOf } from '../../node/status/node-status.ts';
import { APPLIED, nodeStandIn } from './testing.ts';

const { node, says, daemonThat } = nodeStandIn();
const SINCE_MS = Date.UTC(2026, 10, 18);

describe('headstart node status', () => {
  it('reports a missing status with the next step', async () => {
    expect(await node('status')).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringContaining('node/no-status'),
    });
  });

  it('prints the last status of a daemon that does not run', async () => {
    says({ ...APPLIED, notes: [{ code: 'config/disappeared', detail: 'it is gone' }] });
    const { code, stdout } = await node('status');
    expect(code).toBe(0);
    expect(stdout).toMatch(/^Applied: the node runs generation 7 \(ok\/applied\)\n/);
    expect(stdout).toMatch(/^active +7 .*abcdef012345\n/m);
    expect(stdout).toContain('note:  the daemon does not run');
    expect(stdout).toContain('note:  it is gone (config/disappeared)');
    expect(JSON.parse((await node('status', '--json')).stdout)).toMatchObject({
      kind: 'NodeStatus',
      phase: 'Applied',
      isRunning: false,
    });
  });

  it.each<[Partial<NodeStandby>, string]>([
    [{}, 'in standby since 2026-11-18T00:00:00.000Z'],
    [
      { isConfirmed: false },
      'in standby since 2026-11-18T00:00:00.000Z (not confirmed by the metadata since the daemon started)',
    ],
    [{ where: 'parked' }, 'parked by the platform since 2026-11-18T00:00:00.000Z'],
    [
      { left: { atMs: SINCE_MS + 1000, by: 'metadata' }, joinedMs: SINCE_MS + 1300 },
      'left standby at 2026-11-18T00:00:01.000Z, kubelet could start at 2026-11-18T00:00:01.300Z',
    ],
  ])('says that the instance is in standby, or when it left: %o', async (over, line) => {
    const standby: NodeStandby = {
      where: 'pool',
      sinceMs: SINCE_MS,
      isConfirmed: true,
      isWoken: false,
      isPrepared: true,
    };
    says({ ...APPLIED, standby: { ...standby, ...over } });
    expect((await node('status')).stdout.split('\n')[1]).toBe(line);
  });

  it('reads the status from a running daemon', async () => {
    says(APPLIED);
    const status = statusOf(
      { ...INITIAL, ofNode: { phase: 'Degraded', code: 'apply/disk-full', detail: 'full' } },
      { source: 't', daemon: { pid: 1, startedAt: 'x' }, skewMs: 0 },
    );
    await daemonThat(() => ({ status }));
    const { stdout } = await node('status');
    expect(stdout).toContain('Degraded: full (apply/disk-full)');
    expect(stdout).toContain('next:  free some space on the node');
    expect(stdout).not.toContain('does not run');
  });
});
