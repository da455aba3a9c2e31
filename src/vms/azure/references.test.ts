import type { VirtualMachineScaleSet } from '@azure/arm-compute';
import { describe, expect, it } from 'vitest';
import { mayHaveUniformMembers, newestEligible, referencedVersionNames } from './references.ts';
import { definitionId, versionId } from './scale-set.testing.ts';

describe('references to versions', () => {
  it('are found ignoring case, and other images are skipped', () => {
    const references = [
      { kind: 'version', id: versionId.toUpperCase() },
      { kind: 'version', id: versionId.replace('SIG_demo', 'SIG_other') },
      { kind: 'definition', id: definitionId },
      { kind: 'other', id: '' },
    ] as const;
    expect([...referencedVersionNames(references, { id: definitionId })]).toEqual(['2026.11.15']);
  });

  it('through the second id of a shared gallery count, because that gallery may be ours', () => {
    const shared = '/sharedGalleries/8f2c-SIG_DEMO/images/kamino-pool-prototype/versions/2026.11.14';
    const others = ['/sharedGalleries/x/images/other/versions/2026.11.13', '/subscriptions/s/x/images/managed', ''];
    const references = [shared, ...others].map((id) => ({ kind: 'other', id }) as const);
    expect([...referencedVersionNames(references, { id: definitionId })]).toEqual(['2026.11.14']);
  });

  it.each([
    [{}, true],
    [{ sku: { capacity: 0 } }, false],
    [{ sku: { capacity: 2 } }, true],
    [{ orchestrationMode: 'Flexible' }, false],
    [
      { virtualMachineProfile: { storageProfile: { osDisk: { createOption: 'FromImage', osType: 'Windows' } } } },
      false,
    ],
  ])('are looked for in the instances of %j: %s', (fields, expected) => {
    expect(mayHaveUniformMembers({ location: 'we', ...fields } as VirtualMachineScaleSet)).toBe(expected);
  });

  it('to a definition mean its newest version by number, not by text', () => {
    expect(newestEligible(['2026.9.30', '2026.11.1', '2026.10.31'].map((name) => ({ name })))).toBe('2026.11.1');
    expect(newestEligible([])).toBeUndefined();
  });
});
