import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ensureObject, type JsonObject, mergeObjects, objectAt, objectsAt, stringAt } from '../service/json.ts';
import {
  Bench,
  BOOTSTRAP,
  backwards,
  codeOf,
  NO_MARKETPLACE,
  patchProfile,
  withExtensions,
  withVersion,
} from '../testing.ts';

const EMPTY = Buffer.from('#cloud-config\n').toString('base64');

describe('a change of the model', () => {
  it('switches image, bootstrap and extensions in one conditional PATCH; what remains keeps its protected settings', () => {
    const bench = withExtensions();
    const id = withVersion(bench);
    const billing = bench.ask('GET', 'virtualMachineScaleSets/pool1/extensions/billing').body!;
    const answer = bench.askAndWait('PATCH', 'virtualMachineScaleSets/pool1', {
      ifMatch: '"1"',
      ...patchProfile({
        storageProfile: { imageReference: { id, ...NO_MARKETPLACE } },
        osProfile: { customData: EMPTY },
        extensionProfile: { extensions: [{ name: 'billing', properties: objectAt(billing, 'properties') }] },
      }),
    });
    expect(answer.body?.status).toBe('Succeeded');
    bench.askAndWait('PATCH', 'virtualMachineScaleSets/pool1', { body: { sku: { capacity: 3 } } });
    const [old, , born] = bench.instances();
    expect(born!.birth).toMatchObject({ imageReference: { id }, exactVersion: '2026.11.15', customData: EMPTY });
    expect(born!.birth.extensions.map(({ name }) => name)).toEqual(['billing']);
    expect(born!.birth.protectedSettings).toEqual({ billing: { a: 'b' } });
    const applied = (i: string) =>
      objectAt(bench.ask('GET', `virtualMachineScaleSets/pool1/virtualMachines/${i}`).body, 'properties')
        ?.latestModelApplied;
    expect([applied(old!.instanceId), applied(born!.instanceId)]).toEqual([false, true]);
  });

  it('refuses an image that is larger than the disk it gives new instances', () => {
    const bench = new Bench({ scaleSets: [{ name: 'pool1', instances: 1, osDiskGb: 30 }] });
    const [instance] = bench.instances();
    bench.world.disks[instance!.osDiskId!.toLowerCase()]!.properties.diskSizeGB = 64;
    const id = withVersion(bench);
    const answer = bench.ask(
      'PATCH',
      'virtualMachineScaleSets/pool1',
      patchProfile({ storageProfile: { imageReference: { ...NO_MARKETPLACE, id } } }),
    );
    expect(answer.status).toBe(409);
    expect(codeOf(answer)).toEqual([409, 'OperationNotAllowed']);
    expect(stringAt(answer.body, 'error', 'message')).toContain('30 GB is smaller than');
  });

  it('answers 412 to an old ETag, and changes nothing', () => {
    const bench = new Bench();
    const before = structuredClone(bench.set());
    const answer = bench.ask('PATCH', 'virtualMachineScaleSets/pool1', { ifMatch: '"7"', body: { tags: { a: 'b' } } });
    expect(codeOf(answer)).toEqual([412, 'PreconditionFailed']);
    expect(bench.set()).toEqual(before);
  });

  it('accepts an asterisk for any ETag, and returns a new ETag with every change', () => {
    const bench = new Bench();
    for (const expected of ['"2"', '"3"']) {
      const answer = bench.ask('PATCH', 'virtualMachineScaleSets/pool1', { ifMatch: '*', body: { tags: {} } });
      expect([answer.headers?.etag, answer.body?.etag]).toEqual([expected, expected]);
      bench.nowMs += 60_000;
    }
  });

  it('keeps fields that a PUT omits, except the ephemeral setting of a disk that it sends', () => {
    const bench = new Bench({ scaleSets: [{ name: 'pool1', instances: 1, ephemeral: true, customData: BOOTSTRAP }] });
    const before = structuredClone(bench.set());
    bench.askAndWait('PUT', 'virtualMachineScaleSets/pool1', { body: { location: 'westeurope', tags: { a: 'b' } } });
    expect(bench.set().properties).toEqual(before.properties);
    expect(bench.set().secrets).toEqual(before.secrets);
    const osProfile = objectAt(before.properties, 'virtualMachineProfile', 'osProfile');
    bench.askAndWait('PUT', 'virtualMachineScaleSets/pool1', {
      body: {
        location: 'westeurope',
        properties: { virtualMachineProfile: { osProfile, storageProfile: { osDisk: { createOption: 'FromImage' } } } },
      },
    });
    const osDisk = objectAt(bench.set().properties, 'virtualMachineProfile', 'storageProfile', 'osDisk');
    expect([osDisk?.diffDiskSettings, osDisk?.diskSizeGB]).toEqual([undefined, 30]);
  });

  it('takes the image reference of a PUT as a whole, in both directions', () => {
    const bench = withExtensions();
    const id = withVersion(bench);
    const reference = () =>
      objectAt(bench.set().properties, 'virtualMachineProfile', 'storageProfile', 'imageReference');
    const marketplace = structuredClone(reference());
    const put = (imageReference: JsonObject) => {
      const { body } = bench.ask('GET', 'virtualMachineScaleSets/pool1');
      ensureObject(body!, 'properties', 'virtualMachineProfile', 'storageProfile').imageReference = imageReference;
      return bench.askAndWait('PUT', 'virtualMachineScaleSets/pool1', { body: body! }).body?.status;
    };
    expect(put({ id })).toBe('Succeeded');
    expect(reference()).toEqual({ id });
    expect(put({ ...marketplace!, exactVersion: '24.04.202401010' })).toBe('Succeeded');
    expect(reference()).toEqual(marketplace);
  });

  it('refuses a PUT of half a marketplace image, and of none', () => {
    const bench = new Bench();
    const { body } = bench.ask('GET', 'virtualMachineScaleSets/pool1');
    const storage = ensureObject(body!, 'properties', 'virtualMachineProfile', 'storageProfile');
    for (const imageReference of [{ publisher: 'Canonical', offer: 'ubuntu-24_04-lts' }, {}]) {
      storage.imageReference = imageReference;
      expect(codeOf(bench.ask('PUT', 'virtualMachineScaleSets/pool1', { body: body! }))).toEqual([
        409,
        'OperationNotAllowed',
      ]);
    }
  });

  it('does not count the model that was read, in whatever order, as a change', () => {
    const bench = withExtensions();
    const before = structuredClone(bench.set());
    const { body } = bench.ask('GET', 'virtualMachineScaleSets/pool1');
    bench.askAndWait('PUT', 'virtualMachineScaleSets/pool1', { body: backwards(body!) as JsonObject });
    expect({ ...bench.set(), etag: 0 }).toEqual({ ...before, etag: 0 });
    const { value } = bench.ask('GET', 'virtualMachineScaleSets/pool1/virtualMachines').body!;
    expect(objectsAt({ value }, 'value').map((i) => objectAt(i, 'properties')?.latestModelApplied)).toEqual([
      true,
      true,
    ]);
  });

  it('ignores fields that only the service sets', () => {
    const bench = new Bench();
    const before = structuredClone(bench.set().properties);
    const properties = { uniqueId: 'mine', timeCreated: '2020-01-01T00:00:00Z', provisioningState: 'Failed' };
    bench.askAndWait('PATCH', 'virtualMachineScaleSets/pool1', { body: { properties } });
    expect(bench.set().properties).toEqual(before);
    expect(bench.set().state).toBe('Succeeded');
  });

  const fixed: [string, JsonObject][] = [
    ['computerNamePrefix', { virtualMachineProfile: { osProfile: { computerNamePrefix: 'other' } } }],
    ['adminUsername', { virtualMachineProfile: { osProfile: { adminUsername: 'other' } } }],
    ['osType', { virtualMachineProfile: { storageProfile: { osDisk: { osType: 'Windows' } } } }],
    ['orchestrationMode', { orchestrationMode: 'Flexible' }],
    ['platformFaultDomainCount', { platformFaultDomainCount: 2 }],
    ['singlePlacementGroup', { singlePlacementGroup: true }],
  ];
  it.each(fixed.flatMap(([name, change]) => [['PUT', name, change] as const, ['PATCH', name, change] as const]))(
    'refuses a %s of %s',
    (method, name, change) => {
      const bench = new Bench();
      const before = structuredClone(bench.set());
      const read = bench.ask('GET', 'virtualMachineScaleSets/pool1').body!;
      const body = method === 'PUT' ? mergeObjects(read, { properties: change }) : { properties: change };
      const answer = bench.ask(method, 'virtualMachineScaleSets/pool1', { body });
      expect(codeOf(answer)).toEqual([409, 'PropertyChangeNotAllowed']);
      expect(stringAt(answer.body, 'error', 'message')).toContain(name);
      expect(bench.set()).toEqual(before);
    },
  );

  it('applies the same PATCH twice as once', () =>
    fc.assert(
      fc.property(
        fc.record({ tags: fc.dictionary(fc.stringMatching(/^[a-z]{1,8}$/), fc.stringMatching(/^[a-z]{0,8}$/)) }),
        fc.boolean(),
        (body, isEmptied) => {
          const profile = isEmptied ? { extensionProfile: { extensions: [] }, osProfile: { customData: EMPTY } } : {};
          const ask = { body: { ...body, properties: { virtualMachineProfile: profile } } };
          const bench = withExtensions();
          bench.askAndWait('PATCH', 'virtualMachineScaleSets/pool1', ask);
          const once = structuredClone(bench.set());
          bench.askAndWait('PATCH', 'virtualMachineScaleSets/pool1', ask);
          expect({ ...bench.set(), etag: 0 }).toEqual({ ...once, etag: 0 });
        },
      ),
      { numRuns: 30 },
    ));

  const refusals: [string, (bench: Bench) => JsonObject, number, string][] = [
    [
      'a gallery image with leftover marketplace fields',
      (bench) => ({ storageProfile: { imageReference: { id: withVersion(bench) } } }),
      409,
      'OperationNotAllowed',
    ],
    [
      'a specialized image on a generalized set',
      (bench) => ({
        storageProfile: {
          imageReference: { id: withVersion(bench, { definition: { osState: 'Specialized' } }), ...NO_MARKETPLACE },
        },
      }),
      409,
      'PropertyChangeNotAllowed',
    ],
    [
      'an image of another generation',
      (bench) => ({
        storageProfile: {
          imageReference: { id: withVersion(bench, { definition: { hyperVGeneration: 'V1' } }), ...NO_MARKETPLACE },
        },
      }),
      400,
      'BadRequest',
    ],
    [
      'a Trusted Launch image on a standard set',
      (bench) => ({
        storageProfile: {
          imageReference: {
            id: withVersion(bench, { definition: { features: [{ name: 'SecurityType', value: 'TrustedLaunch' }] } }),
            ...NO_MARKETPLACE,
          },
        },
      }),
      400,
      'BadRequest',
    ],
    [
      'an image that is not there',
      (bench) => ({
        storageProfile: { imageReference: { id: withVersion(bench).replace('2026', '2027'), ...NO_MARKETPLACE } },
      }),
      404,
      'GalleryImageNotFound',
    ],
    [
      'an order of extensions that cannot be kept',
      () => ({ extensionProfile: { extensions: [{ name: 'x', properties: { provisionAfterExtensions: ['gone'] } }] } }),
      400,
      'BadRequest',
    ],
    ['the loss of its OS profile', () => ({ osProfile: null }), 400, 'InvalidParameter'],
    ['custom data that is not base64', () => ({ osProfile: { customData: '#cloud-config' } }), 400, 'InvalidParameter'],
  ];
  it.each(refusals)('refuses %s', (_, profile, status, code) => {
    const bench = new Bench();
    const asked = profile(bench);
    const before = structuredClone(bench.set());
    const answer = bench.ask('PATCH', 'virtualMachineScaleSets/pool1', patchProfile(asked));
    expect(codeOf(answer)).toEqual([status, code]);
    expect(bench.set()).toEqual(before);
  });
});
