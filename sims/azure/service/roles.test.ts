import { describe, expect, it } from 'vitest';
import { Bench, codeOf, withVersion } from '../testing.ts';
import { stringAt } from './json.ts';
import { covers, grantOf, isGranted } from './roles.ts';

const SET = 'virtualMachineScaleSets/pool1';

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
    expect(codeOf(answer)).toEqual([403, 'AuthorizationFailed']);
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
    expect(codeOf(answer)).toEqual([403, 'LinkedAuthorizationFailed']);
    grant.actions.push('Microsoft.Compute/disks/beginGetAccess/action');
    expect(bench.ask('PUT', 'snapshots/s', { body, grant }).status).toBe(202);
  });

  it('is called with every action that was used', () => {
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
