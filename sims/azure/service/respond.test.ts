import { describe, expect, it } from 'vitest';
import { Bench, codeOf } from '../testing.ts';

const SET = 'virtualMachineScaleSets/pool1';

describe('the door', () => {
  it('refuses requests without a token or with an expired one', () => {
    const bench = new Bench();
    expect(bench.ask('GET', SET, { token: null }).status).toBe(401);
    const claims = Buffer.from(JSON.stringify({ exp: 1 })).toString('base64url');
    const answer = bench.ask('GET', SET, { token: `x.${claims}.simulated` });
    expect(codeOf(answer)).toEqual([401, 'ExpiredAuthenticationToken']);
  });

  it.each([
    ['GET', 'virtualMachineScaleSets/none', 'ResourceNotFound'],
    ['GET', `${SET}/virtualMachines/99`, 'NotFound'],
    ['GET', 'snapshots/none', 'ResourceNotFound'],
    ['GET', 'teapots/x', 'InvalidResourceType'],
    [
      'GET',
      '/subscriptions/00000000-0000-4000-8000-000000000000/resourceGroups/demo/providers/Microsoft.Compute/disks/x',
      'SubscriptionNotFound',
    ],
  ])('%s %s is 404 %s', (method, path, code) => {
    const answer = new Bench().ask(method, path);
    expect(codeOf(answer)).toEqual([404, code]);
  });

  it('copies no machine to answer a read, so that a thousand of them are no burden', () => {
    const bench = new Bench({ scaleSets: [{ name: 'pool1', instances: 1000 }] });
    const { instances, disks, scaleSets } = bench.world;
    bench.ask('GET', SET);
    bench.ask('GET', `${SET}/virtualMachines`);
    expect(bench.world.instances).toBe(instances);
    expect(bench.world.disks).toBe(disks);
    expect(bench.world.scaleSets).toBe(scaleSets);
  });

  it('leaves the world before a request as it was, also when an operation ends with a read', () => {
    const bench = new Bench();
    bench.ask('POST', `${SET}/virtualMachines/0/powerOff`);
    const before = bench.world;
    const copy = structuredClone(before);
    bench.ask('GET', SET);
    bench.nowMs += 600_000;
    bench.ask('GET', SET);
    expect(bench.instances()[0]!.power).toBe('stopped');
    expect(before).toEqual(copy);
  });
});
