import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type JsonObject, objectAt, stringAt } from '../service/json.ts';
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

describe('the image of a model', () => {
  const NVME = { features: [{ name: 'DiskControllerTypes', value: 'SCSI, NVMe' }] };
  const switchTo = (bench: Bench, imageReference: JsonObject) =>
    bench.ask('PATCH', 'virtualMachineScaleSets/pool1', patchProfile({ storageProfile: { imageReference } }));

  it('needs the feature for NVMe if its instances attach disks that way', () => {
    const bench = new Bench({ scaleSets: [{ name: 'pool1', size: 'Standard_D4s_v6', diskController: 'NVMe' }] });
    const id = withVersion(bench);
    const refused = switchTo(bench, { id, ...NO_MARKETPLACE });
    expect(codeOf(refused)).toEqual([400, 'InvalidParameter']);
    expect(stringAt(refused.body, 'error', 'message')).toContain("size 'Standard_D4s_v6' cannot boot");
    const other = new Bench({ scaleSets: [{ name: 'pool1', size: 'Standard_D4s_v6', diskController: 'NVMe' }] });
    expect(switchTo(other, { id: withVersion(other, { definition: NVME }), ...NO_MARKETPLACE }).status).toBe(200);
  });

  it('has to contain the data disks that the model takes from it', () => {
    const dataDisks = [{ lun: 0, from: 'FromImage' as const }];
    const bench = new Bench({ scaleSets: [{ name: 'pool1', dataDisks }] });
    expect(codeOf(switchTo(bench, { id: withVersion(bench), ...NO_MARKETPLACE }))).toEqual([400, 'InvalidParameter']);
    const empty = new Bench({ scaleSets: [{ name: 'pool1', dataDisks: [{ lun: 0, from: 'Empty' }] }] });
    expect(switchTo(empty, { id: withVersion(empty), ...NO_MARKETPLACE }).status).toBe(200);
  });

  it.each([
    ['communityGalleryImageId', '/CommunityGalleries/capz-1/Images/ubuntu/Versions/1.31.4'],
    ['sharedGalleryImageId', '/SharedGalleries/s-1/Images/node/Versions/1.31.4'],
  ] as const)('is one image: a version next to %s is refused', (field, image) => {
    const bench = new Bench({ scaleSets: [{ name: 'pool1', image: { [field]: image } as { id: string } }] });
    expect(bench.instances()[0]!.birth.exactVersion).toBe('1.31.4');
    const id = withVersion(bench);
    expect(codeOf(switchTo(bench, { id }))).toEqual([409, 'OperationNotAllowed']);
    expect(switchTo(bench, { id, [field]: null }).status).toBe(200);
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
