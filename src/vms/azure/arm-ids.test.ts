import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isSameId, parseDiskId, parseGalleryImageId, parseScaleSetId, parseVmId, scaleSetId, vmId } from './arm-ids.ts';
import { parseProviderId } from './locate.ts';

const word = fc.stringMatching(/^[A-Za-z0-9_-]{1,20}$/);

describe('Azure ids', () => {
  it('are parsed back as they were written, ignoring the case of the fixed parts', () => {
    fc.assert(
      fc.property(word, word, word, word, (subscriptionId, resourceGroup, scaleSet, instanceId) => {
        const ref = { mode: 'uniform', subscriptionId, resourceGroup, scaleSet, instanceId } as const;
        const lower = {
          ...ref,
          subscriptionId: subscriptionId.toLowerCase(),
          resourceGroup: resourceGroup.toLowerCase(),
        };
        expect(parseVmId(vmId(ref))).toEqual(lower);
        const shouted = vmId(ref)
          .replace('resourceGroups', 'RESOURCEGROUPS')
          .replace('Microsoft.Compute', 'microsoft.compute');
        expect(parseVmId(shouted)).toEqual(lower);
        expect(vmId(parseVmId(shouted)!)).toBe(vmId(ref));
      }),
    );
  });

  it('have one spelling per scale set, whatever the case of the group', () => {
    const [a, b] = ['Demo', 'DEMO'].map((group) => ({ subscriptionId: 'AB', resourceGroup: group, name: 'Pool' }));
    expect(scaleSetId(a!)).toBe(scaleSetId(b!));
    expect(parseScaleSetId(scaleSetId(a!))).toEqual({ subscriptionId: 'ab', resourceGroup: 'demo', name: 'Pool' });
  });

  it('distinguish a version from a definition', () => {
    const id =
      '/subscriptions/s/resourceGroups/g/providers/Microsoft.Compute/galleries/SIG_a/images/kamino-p-prototype';
    expect(parseGalleryImageId(id)).toMatchObject({ gallery: 'SIG_a', definition: 'kamino-p-prototype' });
    expect(parseGalleryImageId(id)?.version).toBeUndefined();
    expect(parseGalleryImageId(`${id}/versions/2026.11.15`)?.version).toBe('2026.11.15');
    expect(
      parseGalleryImageId('/subscriptions/s/resourceGroups/g/providers/Microsoft.Compute/images/mine'),
    ).toBeUndefined();
  });

  it('identify disks', () => {
    const id = '/subscriptions/S/resourceGroups/G/providers/Microsoft.Compute/disks/pool_0_OsDisk_1_ab';
    expect(parseDiskId(id)?.name).toBe('pool_0_OsDisk_1_ab');
    expect(isSameId(id, id.toUpperCase())).toBe(true);
  });

  it('are parsed from any text without throwing', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        for (const parse of [parseScaleSetId, parseVmId, parseDiskId, parseGalleryImageId]) parse(text);
      }),
    );
  });
});

describe('provider ids', () => {
  it.each([
    [
      'azure:///subscriptions/S/resourceGroups/RG/providers/Microsoft.Compute/virtualMachineScaleSets/pool/virtualMachines/3',
      { mode: 'uniform', subscriptionId: 'S', resourceGroup: 'RG', scaleSet: 'pool', instanceId: '3' },
    ],
    [
      'AZURE:///subscriptions/S/resourcegroups/rg/providers/microsoft.compute/virtualmachinescalesets/Pool/virtualmachines/0',
      { mode: 'uniform', subscriptionId: 'S', resourceGroup: 'rg', scaleSet: 'Pool', instanceId: '0' },
    ],
    [
      'azure:///subscriptions/S/resourceGroups/other/providers/Microsoft.Compute/virtualMachines/workers_a1b2c3d4',
      { mode: 'flexible', subscriptionId: 'S', resourceGroup: 'other', name: 'workers_a1b2c3d4' },
    ],
  ])('%s', (providerId, expected) => {
    expect(parseProviderId(providerId)).toEqual(expected);
  });

  it.each([
    '',
    'aws:///eu-west-1a/i-0123',
    'azure://',
    'azure:///subscriptions/S',
    'azure:///subscriptions/S/resourceGroups/RG/providers/Microsoft.Compute/virtualMachineScaleSets/pool',
    'kind://docker/kind/kind-worker',
  ])("refuses '%s'", (providerId) => {
    expect(() => parseProviderId(providerId)).toThrow(expect.objectContaining({ code: 'vms/not-an-instance' }));
  });
});
