import { describe, expect, it } from 'vitest';
import { nodeStandIn } from './testing.ts';

const { node, applied } = nodeStandIn();

describe('headstart node history and a dry run of rollback', () => {
  it('print nothing before the first apply', async () => {
    expect(await node('history')).toMatchObject({ code: 0, stdout: 'nothing has been applied on this node\n' });
    expect(await node('rollback', '--dry-run')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('node/no-such-generation'),
    });
  });

  it('list what was applied, newest first, and the target of a rollback', async () => {
    await applied(3, 4);
    const { stdout } = await node('history');
    expect(stdout.split('\n').slice(1, 3)).toEqual([
      expect.stringMatching(/^ +2 +4 .* test +active/),
      expect.stringMatching(/^ +1 +3 /),
    ]);
    const { generations } = JSON.parse((await node('history', '--json')).stdout) as { generations: object[] };
    expect(generations).toMatchObject([
      { number: 2, generation: 4, isActive: true },
      { number: 1, generation: 3, isActive: false },
    ]);
    const dry = await node('rollback', '--dry-run');
    expect(dry).toMatchObject({ code: 0, stdout: expect.stringContaining('number 1: generation 3 from test') });
  });
});
