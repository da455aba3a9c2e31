import { describe, expect, it } from 'vitest';
import { applied, node } from './on-node.testing.ts';

describe('headstart node history', () => {
  it('shows nothing where nothing was applied', async () => {
    expect(await node('history')).toMatchObject({ code: 0, stdout: 'nothing was applied on this node so far\n' });
  });

  it('tells what was applied, the newest first', async () => {
    await applied(3, 4);
    const { stdout } = await node('history');
    expect(stdout.split('\n').slice(1, 3)).toEqual([
      expect.stringMatching(/^ +2 +4 .* test +runs/),
      expect.stringMatching(/^ +1 +3 /),
    ]);
    const { generations } = JSON.parse((await node('history', '--json')).stdout) as { generations: object[] };
    expect(generations).toMatchObject([
      { number: 2, generation: 4, isActive: true },
      { number: 1, generation: 3, isActive: false },
    ]);
  });
});
