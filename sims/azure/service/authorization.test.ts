import { describe, expect, it } from 'vitest';
import { Bench, codeOf, withVersion } from '../testing.ts';
import { fieldAt } from './json.ts';

const SET = 'virtualMachineScaleSets/pool1';
const group = (bench: Bench) => `/subscriptions/${bench.world.subscriptionId}/resourceGroups/demo`;

describe('the rights of a client', () => {
  const path = (bench: Bench) => `${group(bench)}/providers/Microsoft.Authorization/permissions`;

  it('are those of its role, or all of them', () => {
    const bench = new Bench();
    const grant = { actions: ['*/read', 'Microsoft.Compute/*'], notActions: ['Microsoft.Compute/disks/delete'] };
    expect(bench.ask('GET', path(bench), { grant }).body).toMatchObject({ value: [grant] });
    expect(bench.ask('GET', path(bench)).body).toMatchObject({ value: [{ actions: ['*'], notActions: [] }] });
    expect(bench.ask('GET', `${SET}/providers/Microsoft.Authorization/permissions`, { grant }).body).toMatchObject({
      value: [grant],
    });
  });

  it('can be read only with the right to do so', () => {
    const bench = new Bench();
    const grant = { actions: ['Microsoft.Compute/*'], notActions: [] };
    expect(codeOf(bench.ask('GET', path(bench), { grant }))).toEqual([403, 'AuthorizationFailed']);
    grant.actions.push('Microsoft.Authorization/permissions/read');
    expect(bench.ask('GET', path(bench), { grant }).status).toBe(200);
    expect(bench.used).toEqual(['Microsoft.Authorization/permissions/read']);
  });
});

describe('a lock', () => {
  const locked = (level: 'CanNotDelete' | 'ReadOnly', scope?: string) =>
    new Bench({ locks: [{ level, ...(scope !== undefined && { scope }) }] });
  const tag = { body: { tags: { a: 'b' } } };

  it.each([
    ['CanNotDelete', undefined],
    ['ReadOnly', undefined],
    ['CanNotDelete', ''],
    ['CanNotDelete', 'resourceGroups/demo/providers/Microsoft.Compute/snapshots/s'],
  ] as const)('%s of scope %s is in the list of its group', (level, scope) => {
    const bench = locked(level, scope);
    const listed = bench.ask('GET', `${group(bench)}/providers/Microsoft.Authorization/locks`);
    expect(fieldAt(listed.body, 'value')).toMatchObject([
      { id: expect.stringMatching(/\/providers\/Microsoft\.Authorization\/locks\/keep$/), properties: { level } },
    ]);
  });

  it('CanNotDelete refuses deletions and nothing else', () => {
    const bench = locked('CanNotDelete');
    withVersion(bench);
    expect(codeOf(bench.ask('DELETE', 'snapshots/snap'))).toEqual([409, 'ScopeLocked']);
    expect(codeOf(bench.ask('DELETE', 'galleries/SIG_demo/images/proto/versions/2026.11.15'))).toEqual([
      409,
      'ScopeLocked',
    ]);
    expect(bench.ask('PATCH', SET, tag).status).toBe(200);
    expect(bench.ask('POST', `${SET}/virtualMachines/0/poweroff`).status).toBe(202);
  });

  it('ReadOnly refuses changes and actions, and not reads', () => {
    const bench = locked('ReadOnly');
    expect(codeOf(bench.ask('PATCH', SET, tag))).toEqual([409, 'ScopeLocked']);
    expect(codeOf(bench.ask('POST', `${SET}/virtualMachines/0/poweroff`))).toEqual([409, 'ScopeLocked']);
    expect(bench.ask('GET', SET).status).toBe(200);
  });

  it('of one resource does not hold for others', () => {
    const bench = locked('ReadOnly', 'resourceGroups/demo/providers/Microsoft.Compute/virtualMachineScaleSets/pool');
    expect(bench.ask('PATCH', SET, tag).status).toBe(200);
  });
});
