import { describe, expect, it } from 'vitest';
import { POOL } from '../../prototype/testing.ts';
import { candidatesVerb } from './candidates.ts';
import { verbLab } from './testing.ts';

describe('prototype candidates', () => {
  it('lists the best node first, with the reasons for or against each', async () => {
    const world = verbLab();
    const [first, second] = [...world.cluster.nodes.keys()].sort();
    world.cluster.touch(first!, { isUnschedulable: true });
    const { code, stdout } = await world.runVerb(candidatesVerb, '--pool', POOL);
    expect(code).toBe(0);
    const lines = stdout.trimEnd().split('\n');
    expect(lines[1]).toContain(second);
    expect(lines[1]).toContain('on the latest model');
    expect(lines.at(-1)).toMatch(new RegExp(`^${first} .*no: it is cordoned$`));
  });

  it('exits 3 if no node is suitable, and prints the reasons as JSON', async () => {
    const world = verbLab();
    for (const name of world.cluster.nodes.keys()) world.cluster.touch(name, { isReady: false });
    expect(await world.runVerb(candidatesVerb, '--pool', POOL)).toMatchObject({ code: 3 });
    const result = JSON.parse((await world.runVerb(candidatesVerb, '--pool', POOL, '--json')).stdout) as object;
    expect(result).toMatchObject({ kind: 'PrototypeCandidates', pool: POOL });
    expect(result).toHaveProperty('candidates.0.against', ['it is not Ready']);
  });

  it('names the existing pools for an unknown one', async () => {
    expect(await verbLab().runVerb(candidatesVerb, '--pool', 'pool2')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('known: pool1 (did you mean pool1?)'),
    });
  });
});
