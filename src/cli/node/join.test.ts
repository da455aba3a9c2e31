import { describe, expect, it } from 'vitest';
import { INITIAL } from '../../node/daemon/machine.ts';
import type { NodeStandby } from '../../node/daemon/state.ts';
import { statusOf } from '../../node/status/node-status.ts';
import { nodeStandIn } from './testing.ts';

const { node, daemonThat } = nodeStandIn();
const STANDBY: NodeStandby = { where: 'pool', sinceMs: 0, isConfirmed: true, isWoken: false, isPrepared: true };

function daemonIn(standby: NodeStandby | undefined) {
  const status = statusOf({ ...INITIAL, standby }, { source: 't', daemon: { pid: 1, startedAt: 'x' }, skewMs: 0 });
  return daemonThat(() => ({ status }));
}

describe('headstart node join', () => {
  it('orders the daemon of an instance in standby to join', async () => {
    const requests = await daemonIn(STANDBY);
    const { code, stdout } = await node('join', '--yes');
    expect([code, stdout]).toEqual([0, 'joining: kubelet starts\n']);
    expect(requests).toEqual([{ do: 'status' }, { do: 'join' }]);
  });

  it('only says what it would do with --dry-run', async () => {
    const requests = await daemonIn(STANDBY);
    expect((await node('join', '--dry-run')).stdout).toBe('would join; in standby since 1970-01-01T00:00:00.000Z\n');
    expect(JSON.parse((await node('join', '--dry-run', '--json')).stdout)).toMatchObject({
      kind: 'NodeJoin',
      outcome: 'joining',
      isDryRun: true,
      standby: { where: 'pool' },
    });
    expect(requests).not.toContainEqual({ do: 'join' });
  });

  it.each([undefined, { ...STANDBY, left: { atMs: 1, by: 'metadata' } as const }])(
    'changes nothing outside standby',
    async (standby) => {
      const requests = await daemonIn(standby);
      expect((await node('join', '--yes')).stdout).toBe('this instance is not in standby\n');
      expect(requests).toEqual([{ do: 'status' }]);
    },
  );

  it('says that the daemon does not run', async () => {
    expect(await node('join', '--yes')).toMatchObject({ code: 2, stderr: expect.stringContaining('node/no-daemon') });
  });
});
