import { describe, expect, it } from 'vitest';
import { type Definition, type DefinitionSpec, unfitFields } from './gallery.ts';

const wanted: DefinitionSpec = {
  ...{ gallery: 'g', name: 'd', publisher: 'headstart', offer: 'o', sku: 's' },
  ...{ osState: 'generalized', generation: 'V2', architecture: 'x64', securityType: 'Standard' },
};
const plan = { name: 'n', product: 'p', publisher: 'q' };

describe('unfitFields', () => {
  it('finds nothing in a definition that differs only in its identity and features', () => {
    const seen: Definition = {
      ...wanted,
      id: '/d',
      publisher: 'x',
      offer: 'y',
      sku: 'z',
      imageFeatures: { A: 'True' },
    };
    expect(unfitFields(seen, wanted)).toEqual([]);
  });

  it.each<[Partial<Definition>, string]>([
    [{ osState: 'specialized' }, 'osState is specialized, needed generalized'],
    [{ generation: 'V1' }, 'generation is V1, needed V2'],
    [{ architecture: 'Arm64' }, 'architecture is Arm64, needed x64'],
    [{ securityType: 'TrustedLaunch' }, 'securityType is TrustedLaunch, needed Standard'],
    [{ os: 'windows' }, 'os is windows, needed linux'],
    [{ plan }, 'plan is q/p/n, needed none'],
  ])('names %j', (change, reason) => {
    expect(unfitFields({ ...wanted, id: '/d', ...change }, wanted)).toEqual([reason]);
  });
});
