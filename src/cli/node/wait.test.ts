import { describe, expect, it } from 'vitest';
import { APPLIED, nodeStandIn } from './testing.ts';

const { node, says } = nodeStandIn();

describe('headstart node wait', () => {
  it('exits 0 when the goal is reached, and prints the status', async () => {
    says(APPLIED);
    for (const goal of ['ready', 'applied', 'generation=7'])
      expect(await node('wait', '--for', goal)).toMatchObject({ code: 0 });
  });

  it('exits 3 when the goal is not reached in time, or cannot be reached', async () => {
    expect(await node('wait', '--timeout', '0')).toMatchObject({
      code: 3,
      stdout: expect.stringContaining('timed out'),
    });
    says({ ...APPLIED, ofNode: { phase: 'RolledBack', code: 'verify/unit-failed', detail: 'x' } });
    const { code, stdout } = await node('wait', '--for', 'generation=8', '--json');
    expect([code, JSON.parse(stdout)]).toMatchObject([3, { kind: 'NodeWait', isReached: false, why: 'cannot' }]);
  });

  it.each([
    ['--for', 'never'],
    ['--for', 'generation=0'],
    ['--timeout', 'soon'],
  ])('exits 2 for %s %s', async (option, value) => {
    expect((await node('wait', option, value)).code).toBe(2);
  });
});
