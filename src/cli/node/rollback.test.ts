import { describe, expect, it } from 'vitest';
import { applied, daemonThat, node } from './on-node.testing.ts';

describe('headstart node rollback', () => {
  it('refuses where nothing was applied', async () => {
    expect(await node('rollback', '--dry-run')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('node/no-such-generation'),
    });
  });

  it('says with --dry-run which generation it would go back to', async () => {
    await applied(3, 4);
    const dry = await node('rollback', '--dry-run');
    expect(dry).toMatchObject({ code: 0, stdout: expect.stringContaining('number 1: generation 3 from test') });
  });

  it('refuses what is not there or runs already, and what nobody confirmed', async () => {
    await applied(3, 4);
    for (const to of ['9', '2'])
      expect((await node('rollback', '--to', to, '--yes')).stderr).toContain('node/no-such-generation');
    expect(await node('rollback', '--to', 'x')).toMatchObject({ code: 2 });
    expect(await node('rollback')).toMatchObject({ code: 2, stderr: expect.stringContaining('cli/not-confirmed') });
  });

  it('lets the daemon go back, and tells what came of it', async () => {
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
