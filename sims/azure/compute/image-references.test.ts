import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { objectAt } from '../service/json.ts';
import { Bench, codeOf, NO_MARKETPLACE, patchProfile, withVersion } from '../testing.ts';
import { compareVersionNames } from './image-references.ts';

describe('the image of a new instance', () => {
  it('fails when the version of the model no longer exists, and leaves the pool unchanged', () => {
    const bench = new Bench();
    const id = withVersion(bench);
    bench.askAndWait(
      'PATCH',
      'virtualMachineScaleSets/pool1',
      patchProfile({ storageProfile: { imageReference: { id, ...NO_MARKETPLACE } } }),
    );
    bench.askAndWait('DELETE', id);
    const answer = bench.ask('PATCH', 'virtualMachineScaleSets/pool1', { body: { sku: { capacity: 3 } } });
    expect(codeOf(answer)).toEqual([404, 'GalleryImageNotFound']);
    expect(bench.instances()).toHaveLength(2);
  });

  it('is the highest version of a definition by number, without excluded ones', () => {
    const bench = new Bench();
    const id = withVersion(bench);
    const versions = 'galleries/SIG_demo/images/proto/versions';
    const copy = (name: string, isExcluded: boolean) => {
      const [, version] = Object.entries(bench.world.versions)[0]!;
      const properties = structuredClone(version.properties);
      objectAt(properties, 'publishingProfile')!.excludeFromLatest = isExcluded;
      const newId = version.id.replace('2026.11.15', name);
      bench.world.versions[newId.toLowerCase()] = { ...version, id: newId, name, properties };
    };
    copy('2026.9.30', false);
    copy('2026.12.1', true);
    bench.askAndWait(
      'PATCH',
      'virtualMachineScaleSets/pool1',
      patchProfile({ storageProfile: { imageReference: { id: id.replace(/\/versions.*/, ''), ...NO_MARKETPLACE } } }),
    );
    bench.askAndWait('PATCH', 'virtualMachineScaleSets/pool1', { body: { sku: { capacity: 3 } } });
    expect(bench.instances().at(-1)!.birth.exactVersion).toBe('2026.11.15');
    bench.askAndWait('PATCH', `${versions}/2026.12.1`, {
      body: { properties: { publishingProfile: { excludeFromLatest: false } } },
    });
    bench.askAndWait('PATCH', 'virtualMachineScaleSets/pool1', { body: { sku: { capacity: 4 } } });
    expect(bench.instances().at(-1)!.birth.exactVersion).toBe('2026.12.1');
  });
});

describe('names of versions', () => {
  it('are compared as numbers', () =>
    fc.assert(
      fc.property(
        fc.tuple(fc.nat(3000), fc.nat(12), fc.nat(31)),
        fc.tuple(fc.nat(3000), fc.nat(12), fc.nat(31)),
        (a, b) => {
          const byNumber = a[0] - b[0] || a[1] - b[1] || a[2] - b[2];
          expect(Math.sign(compareVersionNames(a.join('.'), b.join('.')))).toBe(Math.sign(byNumber));
        },
      ),
    ));
});
