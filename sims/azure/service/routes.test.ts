import { describe, expect, it } from 'vitest';
import { findRoute, ROUTES } from './routes.ts';

const GROUP = '/subscriptions/s/resourceGroups/g/providers/Microsoft.Compute';

describe('a route', () => {
  it('is found without regard to case, and keeps the case of names', () => {
    const found = findRoute('POST', `${GROUP.toUpperCase()}/virtualmachinescalesets/Pool1/virtualMachines/3/POWEROFF`);
    expect(found).toMatchObject({
      params: { subscription: 'S', group: 'G', scaleSet: 'Pool1', instance: '3' },
      type: 'virtualMachineScaleSets/virtualMachines/powerOff',
      action: 'Microsoft.Compute/virtualMachineScaleSets/virtualMachines/powerOff/action',
    });
  });

  it.each([
    ['GET', 'read'],
    ['PUT', 'write'],
    ['DELETE', 'delete'],
  ])('of %s is called %s in a role', (method, verb) => {
    expect(findRoute(method, `${GROUP}/snapshots/x`)?.action).toBe(`Microsoft.Compute/snapshots/${verb}`);
  });

  it('decodes names, and ignores slashes that say nothing', () => {
    expect(findRoute('GET', `${GROUP}//disks/a%20b/`)?.params.disk).toBe('a b');
  });

  it('is not found for another method, a longer path, or nothing', () => {
    expect(findRoute('PATCH', `${GROUP}/disks/x`)).toBeUndefined();
    expect(findRoute('GET', `${GROUP}/disks/x/y`)).toBeUndefined();
    expect(findRoute('GET', '/')).toBeUndefined();
  });

  it('is the only one of its method and path', () => {
    const shapes = ROUTES.map(({ method, path }) => `${method} ${path.replace(/\{\w+\}/g, '{}').toLowerCase()}`);
    expect(new Set(shapes).size).toBe(ROUTES.length);
  });
});
