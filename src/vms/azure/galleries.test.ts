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

describe('an image definition in our words', () => {
  const read = (more: object) =>
    definitionOf(
      { location: 'we', osType: 'Linux', osState: 'Generalized', ...more } as Parameters<typeof definitionOf>[0],
      'SIG_demo',
      'node',
    );

  it('is of the first generation and for x64 where Azure does not say', () => {
    expect(read({})).toMatchObject({ generation: 'V1', architecture: 'x64', securityType: 'Standard', name: 'node' });
  });

  it('has the security that its features name, and Standard for those we do not know', () => {
    const of = (value: string) =>
      read({ features: [{ name: 'IsHibernateSupported' }, { name: 'SecurityType', value }] });
    expect(of('TrustedLaunch').securityType).toBe('TrustedLaunch');
    expect(of('TrustedLaunchSupported').securityType).toBe('Standard');
  });

  it('has a plan only when all three of its names are there', () => {
    expect(read({ purchasePlan: plan }).plan).toEqual(plan);
    expect(read({ purchasePlan: { name: 'p', product: 'q' } })).not.toHaveProperty('plan');
  });
});

describe('what cannot be changed of a definition', () => {
  it('does not differ from itself', () => {
    expect(differencesOf(spec, { ...spec, gallery: 'another' })).toEqual([]);
    expect(differencesOf({ ...spec, plan }, { ...spec, plan: { ...plan } })).toEqual([]);
  });

  it('is told with both values', () => {
    expect(differencesOf(spec, { ...spec, generation: 'V1', sku: 't' })).toEqual([
      'generation is V2, needed V1',
      'sku is s, needed t',
    ]);
    expect(differencesOf(spec, { ...spec, plan })).toEqual(['plan is none, needed r/q/p']);
  });
});

describe('a gallery', () => {
  it.each(['', '.g', 'g.', 'with-dash', 'a b', 'x'.repeat(81)])(
    'cannot be called %j, and Azure is not asked',
    async (gallery) => {
      const { call, sent } = await wire();
      await expect(ensureDefinition(azureOn(call), { ...spec, gallery }, 'we')).rejects.toBeInstanceOf(Refused);
      expect(sent).toEqual([]);
    },
  );
});
