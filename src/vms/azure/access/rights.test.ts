import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { covers, missingActions, neededActions } from './rights.ts';

const all = [
  ...new Set((['uniform', 'flexible'] as const).flatMap((mode) => Object.values(neededActions(mode)).flat())),
];
const role = (actions: string[], notActions: string[] = []) => ({ actions, notActions });

describe('an action of a role', () => {
  // The first five are examples of Microsoft's page on role definitions.
  it.each([
    ['*', 'Microsoft.Compute/snapshots/write', true],
    ['*/read', 'Microsoft.Compute/virtualMachineScaleSets/read', true],
    ['Microsoft.Compute/*', 'Microsoft.Compute/galleries/images/versions/write', true],
    ['Microsoft.Network/*/read', 'Microsoft.Network/virtualNetworks/subnets/read', true],
    ['Microsoft.Compute/virtualMachines/*', 'Microsoft.Compute/virtualMachines/powerOff/action', true],
    ['Microsoft.Compute/virtualMachines/*', 'Microsoft.Compute/virtualMachineScaleSets/write', false],
    ['Microsoft.Compute/*/read', 'Microsoft.Compute/disks/write', false],
    ['MICROSOFT.compute/DISKS/Read', 'Microsoft.Compute/disks/read', true],
    ['Microsoft.Compute/disks', 'Microsoft.Compute/disks/read', false],
    ['Microsoft.Compute/*/images/*/read', 'Microsoft.Compute/galleries/images/versions/read', true],
    ['Microsoft.Compute/*/images/*/read', 'Microsoft.Compute/galleries/images/read', false],
    ['Microsoft.Compute/snapshots/read*read', 'Microsoft.Compute/snapshots/read', false],
    ['', 'Microsoft.Compute/disks/read', false],
  ])('%s covers %s: %s', (pattern, action, expected) => {
    expect(covers(pattern, action)).toBe(expected);
  });

  it('covers what the same pattern covers as a regular expression', () => {
    const text = fc.string({ unit: fc.constantFrom('a', 'B', '/', '.', '*'), maxLength: 8 });
    const plain = fc.string({ unit: fc.constantFrom('a', 'b', '/', '.'), maxLength: 10 });
    fc.assert(
      fc.property(text, plain, (pattern, action) => {
        const escaped = pattern.split('*').map((part) => part.replace(/[.]/g, '\\.'));
        expect(covers(pattern, action)).toBe(new RegExp(`^${escaped.join('.*')}$`, 'i').test(action));
      }),
      { numRuns: 2000 },
    );
  });
});

describe('missing actions', () => {
  it.each([
    ['Owner', [role(['*'])], []],
    [
      'Contributor',
      [
        role(
          ['*'],
          [
            ...['Microsoft.Authorization/*/Delete', 'Microsoft.Authorization/*/Write'],
            ...['Microsoft.Authorization/elevateAccess/Action', 'Microsoft.Blueprint/blueprintAssignments/write'],
            ...['Microsoft.Compute/galleries/share/action', 'Microsoft.Purview/consents/write'],
          ],
        ),
      ],
      [],
    ],
    ['Reader', [role(['*/read'])], all.filter((action) => !action.endsWith('/read'))],
    [
      'a role that excludes one',
      [role(['*'], ['Microsoft.Compute/snapshots/delete'])],
      ['Microsoft.Compute/snapshots/delete'],
    ],
    [
      'two roles, of which one allows what the other excludes',
      [role(['*'], ['Microsoft.Compute/snapshots/*']), role(['Microsoft.Compute/snapshots/*'])],
      [],
    ],
    ['no role', [], all],
  ])('of %s', (_name, permissions, expected) => {
    expect(missingActions(permissions, all)).toEqual(expected);
  });

  it('are none for the role in docs/azure-role.json', () => {
    const { Actions } = JSON.parse(
      readFileSync(new URL('../../../../docs/azure-role.json', import.meta.url), 'utf8'),
    ) as { Actions: string[] };
    expect(missingActions([role(Actions)], all)).toEqual([]);
  });

  it('never grow when a role is added', () => {
    const pattern = fc.constantFrom('*', '*/read', 'Microsoft.Compute/*', 'Microsoft.Compute/snapshots/*', ...all);
    const one = fc.record({
      actions: fc.array(pattern, { maxLength: 4 }),
      notActions: fc.array(pattern, { maxLength: 3 }),
    });
    fc.assert(
      fc.property(fc.array(one, { maxLength: 4 }), one, (roles, more) => {
        const before = missingActions(roles, all);
        expect(before).toEqual(expect.arrayContaining(missingActions([...roles, more], all)));
      }),
    );
  });
});
