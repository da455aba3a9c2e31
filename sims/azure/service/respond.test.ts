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
});
