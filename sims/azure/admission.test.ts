import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Dials, type FaultKind, UNHARMED } from './service/faults.ts';
import { objectsAt, stringAt } from './service/json.ts';
import { covers, grantOf, isGranted } from './service/roles.ts';
import { Bench, withVersion } from './testing.ts';

const SET = 'virtualMachineScaleSets/pool1';

describe('the door', () => {
  it('is shut without a token, and to one that has expired', () => {
    const bench = new Bench();
    expect(bench.ask('GET', SET, { token: null }).status).toBe(401);
    const claims = Buffer.from(JSON.stringify({ exp: 1 })).toString('base64url');
    const answer = bench.ask('GET', SET, { token: `x.${claims}.simulated` });
    expect([answer.status, stringAt(answer.body, 'error', 'code')]).toEqual([401, 'ExpiredAuthenticationToken']);
  });

  it('knows the pinned api-versions and lists them to whoever asks for another', () => {
    const answer = new Bench().ask('GET', SET, { apiVersion: '2026-04-01' });
    expect([answer.status, stringAt(answer.body, 'error', 'code')]).toEqual([400, 'InvalidApiVersionParameter']);
    expect(stringAt(answer.body, 'error', 'message')).toContain('2024-07-01');
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
    expect([answer.status, stringAt(answer.body, 'error', 'code')]).toEqual([404, code]);
  });
});

describe('throttling', () => {
  it('lets a burst through, tells what is left, then says when to come back', () => {
    const bench = new Bench();
    const answers = Array.from({ length: 37 }, () => bench.ask('GET', SET));
    expect(answers[0]?.headers?.['x-ms-ratelimit-remaining-resource']).toBe(
      'Microsoft.Compute/GetVMScaleSetResource;35',
    );
    const refused = answers[36]!;
    expect(refused.status).toBe(429);
    expect(refused.headers?.['retry-after']).toBe('5');
    expect(stringAt(refused.body, 'error', 'code')).toBe('OperationNotAllowed');
    expect(objectsAt(refused.body, 'error', 'details')[0]?.code).toBe('TooManyRequests');
    bench.nowMs += 5000;
    expect(bench.ask('GET', SET).status).toBe(200);
    expect(bench.violations).toEqual([]);
  });

  it('makes whoever asks early wait longer, and remembers it', () => {
    const bench = new Bench();
    for (let i = 0; i < 36; i++) bench.ask('GET', SET);
    const first = bench.ask('GET', SET);
    bench.nowMs += 1000;
    const early = bench.ask('GET', SET);
    expect(Number(early.headers?.['retry-after'])).toBeGreaterThan(Number(first.headers?.['retry-after']) - 1);
    expect(bench.violations).toHaveLength(1);
  });

  it('is per resource', () => {
    const bench = new Bench();
    for (let i = 0; i < 36; i++) bench.ask('GET', `${SET}/virtualMachines/0`);
    expect(bench.ask('GET', `${SET}/virtualMachines/0`).status).toBe(429);
    expect(bench.ask('GET', `${SET}/virtualMachines/1`).status).toBe(200);
  });

  it('never refuses whoever honours every wait twice in a row', () =>
    fc.assert(
      fc.property(fc.array(fc.nat(4000), { maxLength: 80 }), (pauses) => {
        const bench = new Bench({ scaleSets: [{ name: 'pool1', instances: 0 }] });
        for (const pause of pauses) {
          bench.nowMs += pause;
          const answer = bench.ask('GET', SET);
          if (answer.status !== 429) continue;
          bench.nowMs += Number(answer.headers?.['retry-after']) * 1000;
          expect(bench.ask('GET', SET).status).toBe(200);
        }
        expect(bench.violations).toEqual([]);
      }),
      { numRuns: 30 },
    ));
});

describe('a role', () => {
  const read = { actions: ['Microsoft.Compute/*/read'], notActions: ['Microsoft.Compute/disks/read'] };

  it.each([
    ['Microsoft.Compute/*/read', 'Microsoft.Compute/virtualMachineScaleSets/virtualMachines/read', true],
    ['*', 'Microsoft.Compute/snapshots/write', true],
    ['microsoft.compute/SNAPSHOTS/write', 'Microsoft.Compute/snapshots/write', true],
    ['Microsoft.Compute/snapshots/write', 'Microsoft.Compute/snapshots/delete', false],
    ['Microsoft.Compute/snapshots/*', 'Microsoft.Compute/disks/write', false],
  ])('%s covers %s: %s', (pattern, action, expected) => {
    expect(covers(pattern, action)).toBe(expected);
  });

  it('takes away what notActions name', () => {
    expect(isGranted(grantOf(read), 'Microsoft.Compute/disks/read')).toBe(false);
    expect(isGranted(grantOf({ Actions: ['Microsoft.Compute/*'] }), 'Microsoft.Compute/disks/read')).toBe(true);
  });

  it.each([
    [
      'POST',
      `${SET}/virtualMachines/0/poweroff`,
      'Microsoft.Compute/virtualMachineScaleSets/virtualMachines/powerOff/action',
    ],
    ['PATCH', SET, 'Microsoft.Compute/virtualMachineScaleSets/write'],
    ['DELETE', 'snapshots/x', 'Microsoft.Compute/snapshots/delete'],
    ['GET', 'disks/x', 'Microsoft.Compute/disks/read'],
  ])('without the right, %s %s is 403 and names %s', (method, path, action) => {
    const bench = new Bench();
    const answer = bench.ask(method, path, { grant: read });
    expect([answer.status, stringAt(answer.body, 'error', 'code')]).toEqual([403, 'AuthorizationFailed']);
    expect(stringAt(answer.body, 'error', 'message')).toContain(action);
  });

  it('has to cover what a body links to as well', () => {
    const bench = new Bench();
    const body = {
      location: 'westeurope',
      properties: { creationData: { createOption: 'Copy', sourceResourceId: bench.instances()[0]!.osDiskId } },
    };
    const grant = { actions: ['Microsoft.Compute/snapshots/*'], notActions: [] };
    const answer = bench.ask('PUT', 'snapshots/s', { body, grant });
    expect([answer.status, stringAt(answer.body, 'error', 'code')]).toEqual([403, 'LinkedAuthorizationFailed']);
    grant.actions.push('Microsoft.Compute/disks/beginGetAccess/action');
    expect(bench.ask('PUT', 'snapshots/s', { body, grant }).status).toBe(202);
  });

  it('is told every action that was used', () => {
    const bench = new Bench();
    withVersion(bench);
    expect(new Set(bench.used)).toEqual(
      new Set([
        'Microsoft.Compute/snapshots/write',
        'Microsoft.Compute/disks/beginGetAccess/action',
        'Microsoft.Compute/locations/diskOperations/read',
        'Microsoft.Compute/galleries/write',
        'Microsoft.Compute/galleries/images/write',
        'Microsoft.Compute/galleries/images/versions/write',
        'Microsoft.Compute/locations/capsOperations/read',
      ]),
    );
  });
});

describe('dialled faults', () => {
  const dials = () => new Dials(() => 0.5);

  it.each([
    ['PUT snapshots', 'PUT', 'snapshots', true],
    ['PUT snapshots', 'DELETE', 'snapshots', false],
    ['* versions', 'PATCH', 'galleries/images/versions', true],
    ['POST poweroff', 'POST', 'virtualMachineScaleSets/virtualMachines/powerOff', true],
    ['POST virtualMachineScaleSets/powerOff', 'POST', 'virtualMachineScaleSets/virtualMachines/powerOff', false],
    ['GET operations', 'GET', 'locations/operations', true],
    ['* *', 'GET', 'disks', true],
  ])('%s strikes %s %s: %s', (on, method, type, expected) => {
    const faults = dials();
    faults.set({ on, kind: 'conflict' });
    expect(faults.strike(method, type) !== UNHARMED).toBe(expected);
  });

  it('strike after so many, so often', () => {
    const faults = dials();
    faults.set({ on: 'GET disks', kind: 'server-error', after: 2, times: 2 });
    const struck = Array.from({ length: 6 }, () => faults.strike('GET', 'disks') !== UNHARMED);
    expect(struck).toEqual([false, false, true, true, false, false]);
  });

  it.each<[FaultKind, number]>([
    ['throttle', 429],
    ['conflict', 409],
    ['server-error', 503],
  ])('%s is answered with %i and changes nothing', (kind, status) => {
    const faults = dials();
    faults.set({ on: '* *', kind });
    const bench = new Bench();
    const before = structuredClone(bench.set());
    const answer = bench.ask('PATCH', SET, {
      body: { tags: { a: 'b' } },
      strike: faults.strike('PATCH', 'virtualMachineScaleSets'),
    });
    expect(answer.status).toBe(status);
    expect(bench.set()).toEqual(before);
  });

  it('strike by chance, the same way for the same seed', () => {
    const patternOf = () => {
      let state = 7;
      const faults = new Dials(() => {
        state = (state * 48271) % 2147483647;
        return state / 2147483647;
      });
      faults.set({ on: '* *', kind: 'conflict', chance: 0.3, times: 1000 });
      return Array.from({ length: 200 }, () => faults.strike('GET', 'disks') !== UNHARMED);
    };
    const struck = patternOf();
    expect(patternOf()).toEqual(struck);
    expect(struck.filter(Boolean).length).toBeGreaterThan(30);
    expect(struck.filter(Boolean).length).toBeLessThan(90);
  });
});
