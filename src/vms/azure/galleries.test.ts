import { describe, expect, it } from 'vitest';
import { Refused } from '../../base/failures.ts';
import type { DefinitionSpec } from '../gallery.ts';
import { wire } from './connect/testing.ts';
import { definitionOf, differencesOf, ensureDefinition } from './galleries.ts';
import { azureOn } from './testing.ts';

const plan = { name: 'p', product: 'q', publisher: 'r' };
const spec: DefinitionSpec = {
  ...{ gallery: 'SIG_demo', name: 'node', publisher: 'headstart', offer: 'o', sku: 's' },
  ...{ osState: 'generalized', generation: 'V2', architecture: 'x64', securityType: 'Standard' },
};

describe('definitionOf', () => {
  const read = (more: object) =>
    definitionOf(
      { location: 'we', osType: 'Linux', osState: 'Generalized', ...more } as Parameters<typeof definitionOf>[0],
      'SIG_demo',
      'node',
    );

  it('defaults to generation 1 and x64 when Azure omits them', () => {
    expect(read({})).toMatchObject({ generation: 'V1', architecture: 'x64', securityType: 'Standard', name: 'node' });
  });

  it('reads the security type from the features, and uses Standard for unknown types', () => {
    const of = (value: string) =>
      read({ features: [{ name: 'IsHibernateSupported' }, { name: 'SecurityType', value }] });
    expect(of('TrustedLaunch').securityType).toBe('TrustedLaunch');
    expect(of('TrustedLaunchSupported').securityType).toBe('Standard');
  });

  it('has the features, and the OS of a Windows definition', () => {
    const features = [
      { name: 'SecurityType', value: 'TrustedLaunch' },
      { name: 'DiskControllerTypes', value: 'SCSI, NVMe' },
    ];
    expect(read({ features }).imageFeatures).toEqual({ DiskControllerTypes: 'SCSI, NVMe' });
    expect(read({})).not.toHaveProperty('os');
    expect(read({ osType: 'Windows' }).os).toBe('windows');
  });

  it('has a plan only when all three of its names are set', () => {
    expect(read({ purchasePlan: plan }).plan).toEqual(plan);
    expect(read({ purchasePlan: { name: 'p', product: 'q' } })).not.toHaveProperty('plan');
  });
});

describe('differencesOf', () => {
  it('finds no difference between a definition and itself', () => {
    expect(differencesOf(spec, { ...spec, gallery: 'another' })).toEqual([]);
    expect(differencesOf({ ...spec, plan }, { ...spec, plan: { ...plan } })).toEqual([]);
  });

  it('reports both values of each difference', () => {
    expect(differencesOf(spec, { ...spec, generation: 'V1', sku: 't' })).toEqual([
      'generation is V2, needed V1',
      'sku is s, needed t',
    ]);
    expect(differencesOf(spec, { ...spec, plan })).toEqual(['plan is none, needed r/q/p']);
  });
});

describe('a gallery', () => {
  it.each(['', '.g', 'g.', 'with-dash', 'a b', 'x'.repeat(81)])(
    'cannot be named %j, and no request is sent',
    async (gallery) => {
      const { call, sent } = await wire();
      await expect(ensureDefinition(azureOn(call), { ...spec, gallery }, 'we')).rejects.toBeInstanceOf(Refused);
      expect(sent).toEqual([]);
    },
  );
});
