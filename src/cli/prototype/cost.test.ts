import { describe, expect, it } from 'vitest';
import { POOL } from '../../prototype/testing.ts';
import { costVerb } from './cost.ts';
import { verbLab } from './testing.ts';

describe('prototype cost', () => {
  it('multiplies size and replicas by the given price', async () => {
    const world = verbLab();
    await world.run();
    const { stdout } = await world.runVerb(costVerb, '--pool', POOL, '--price-per-gb', '0.1', '--json');
    const result = JSON.parse(stdout) as {
      perMonth: number;
      lines: [{ sizeGb: number; replicas: number }];
    };
    expect(result).toMatchObject({ kind: 'PrototypeCost', pool: POOL, lines: [{ version: world.intent.version }] });
    const [{ sizeGb, replicas }] = result.lines;
    expect(replicas).toBe(world.intent.replicas);
    expect(result.perMonth).toBeCloseTo(sizeGb * replicas * 0.1);
  });

  it('says how reliable the built-in prices are', async () => {
    const { code, stdout } = await verbLab().runVerb(costVerb, '--pool', POOL);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^0\.00 \w+ a month \(prices: /m);
  });

  it.each([
    [['--price-per-gb', '-1'], 2, '"-1" is not a price'],
    [['--price-per-gb', ''], 2, '"" is not a price'],
    [['--prices', '/nowhere/prices.json'], 2, 'cannot read /nowhere/prices.json: ENOENT'],
  ])('refuses %j before any call', async (argv, code, message) => {
    const world = verbLab();
    world.cluster.listNodes = () => Promise.reject(new Error('the cluster was called'));
    const result = await world.runVerb(costVerb, '--pool', POOL, ...argv);
    expect(result).toMatchObject({ code, stderr: expect.stringContaining(message) });
  });
});
