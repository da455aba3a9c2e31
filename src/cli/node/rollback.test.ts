import { describe, expect, it } from 'vitest';
import { nodeStandIn } from './testing.ts';

const { node, applied, daemonThat } = nodeStandIn();

describe('headstart node rollback', () => {
  it('refuses a generation that does not exist or is active, and needs confirmation', async () => {
    await applied(3, 4);
    for (const to of ['9', '2'])
      expect((await node('rollback', '--to', to, '--yes')).stderr).toContain('node/no-such-generation');
    expect(await node('rollback', '--to', 'x')).toMatchObject({ code: 2 });
    expect(await node('rollback')).toMatchObject({ code: 2, stderr: expect.stringContaining('cli/not-confirmed') });
  });

  it('sends the rollback to the daemon, and prints the result', async () => {
    await applied(3, 4);
    const heard = await daemonThat(({ do: what }) =>
      what === 'status' ? { status: {} } : { result: { kind: 'applied', code: 'verify/running', reason: 'x' } },
    );
    const { code, stdout } = await node('rollback', '--yes', '--json');
    expect([code, JSON.parse(stdout)]).toMatchObject([
      0,
      { kind: 'NodeRollback', outcome: 'applied', code: 'verify/running' },
    ]);
    expect(heard.at(-1)).toEqual({ do: 'roll-back', to: 1 });
  });
});
