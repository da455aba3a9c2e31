import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type JsonObject, objectAt, stringAt } from '../service/json.ts';
import { Bench, withVersion } from '../testing.ts';

const NO_MARKETPLACE = { publisher: null, offer: null, sku: null, version: null };
const BOOTSTRAP = '#cloud-config\nruncmd: [join]\n';
const EMPTY = Buffer.from('#cloud-config\n').toString('base64');

const withExtensions = () =>
  new Bench({
    scaleSets: [
      {
        name: 'pool1',
        instances: 2,
        customData: BOOTSTRAP,
        extensions: [
          {
            name: 'cse',
            publisher: 'Microsoft.Azure.Extensions',
            type: 'CustomScript',
            protectedSettings: { key: 's3cret' },
          },
          { name: 'health', publisher: 'Microsoft.ManagedServices', type: 'ApplicationHealthLinux', after: ['cse'] },
          {
            name: 'billing',
            publisher: 'Microsoft.AKS',
            type: 'Compute.AKS.Linux.Billing',
            protectedSettings: { a: 'b' },
          },
        ],
      },
    ],
  });

const patchProfile = (profile: JsonObject) => ({ body: { properties: { virtualMachineProfile: profile } } });
const codeOf = (answer: { body?: JsonObject }) => stringAt(answer.body, 'error', 'code');

describe('the model of a scale set', () => {
  it('never gives custom data or protected settings back, and gives them to new instances', () => {
    const bench = withExtensions();
    const text = JSON.stringify([
      bench.ask('GET', 'virtualMachineScaleSets/pool1'),
      bench.ask('GET', 'virtualMachineScaleSets/pool1/virtualMachines'),
      bench.ask('GET', 'virtualMachineScaleSets/pool1/extensions'),
    ]);
    expect(text).not.toContain('s3cret');
    expect(text).not.toContain(Buffer.from(BOOTSTRAP).toString('base64'));
    bench.askAndWait('PATCH', 'virtualMachineScaleSets/pool1', { body: { sku: { capacity: 3 } } });
    const { birth } = bench.instances().at(-1)!;
    expect(birth.customData).toBe(Buffer.from(BOOTSTRAP).toString('base64'));
    expect(birth.protectedSettings.cse).toEqual({ key: 's3cret' });
  });

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
    expect(codeOf(answer)).toBe('OperationNotAllowed');
    expect(stringAt(answer.body, 'error', 'message')).toContain('30 GB is smaller than');
  });

  it('answers 412 to an ETag of another time, and changes nothing', () => {
    const bench = new Bench();
    const before = structuredClone(bench.set());
    const answer = bench.ask('PATCH', 'virtualMachineScaleSets/pool1', { ifMatch: '"7"', body: { tags: { a: 'b' } } });
    expect([answer.status, codeOf(answer)]).toEqual([412, 'PreconditionFailed']);
    expect(bench.set()).toEqual(before);
  });

  it('takes any ETag for an asterisk, and gives a new one with every change', () => {
    const bench = new Bench();
    for (const expected of ['"2"', '"3"']) {
      const answer = bench.ask('PATCH', 'virtualMachineScaleSets/pool1', { ifMatch: '*', body: { tags: {} } });
      expect([answer.headers?.etag, answer.body?.etag]).toEqual([expected, expected]);
      bench.nowMs += 60_000;
    }
  });

  it('keeps what a PUT leaves out, except the ephemeral setting of a disk it sends', () => {
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
      'a gallery image beside lingering marketplace fields',
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
    expect([answer.status, codeOf(answer)]).toEqual([status, code]);
    expect(bench.set()).toEqual(before);
  });

  it('refuses a second write while the first runs, but not two stops of two instances', () => {
    const bench = new Bench();
    bench.ask('PATCH', 'virtualMachineScaleSets/pool1', { body: { tags: {} } });
    const second = bench.ask('PATCH', 'virtualMachineScaleSets/pool1', { body: { tags: {} } });
    expect([second.status, codeOf(second)]).toEqual([409, 'Conflict']);
    bench.nowMs += 60_000;
    const stop = (id: number) =>
      bench.ask('POST', `virtualMachineScaleSets/pool1/virtualMachines/${id}/powerOff`).status;
    expect([stop(0), stop(1), stop(0)]).toEqual([202, 202, 409]);
  });

  it('is born specialized only without an OS profile', () => {
    const bench = new Bench();
    const id = withVersion(bench, { definition: { osState: 'Specialized' } });
    const virtualMachineProfile: JsonObject = { storageProfile: { imageReference: { id } } };
    const body: JsonObject = {
      location: 'westeurope',
      sku: { name: 'Standard_D4s_v5', capacity: 1 },
      properties: { virtualMachineProfile },
    };
    const refused = bench.ask('PUT', 'virtualMachineScaleSets/special', {
      body: {
        ...body,
        properties: { virtualMachineProfile: { ...virtualMachineProfile, osProfile: { adminUsername: 'a' } } },
      },
    });
    expect([refused.status, codeOf(refused)]).toEqual([400, 'InvalidParameter']);
    expect(bench.askAndWait('PUT', 'virtualMachineScaleSets/special', { body }).body?.status).toBe('Succeeded');
    const born = bench.instances().at(-1)!;
    expect([born.birth.osProfile, born.power]).toEqual([null, 'running']);
  });
});

describe('growing and shrinking', () => {
  it('fails when the version the model refers to is gone, and leaves the pool as it was', () => {
    const bench = new Bench();
    const id = withVersion(bench);
    bench.askAndWait(
      'PATCH',
      'virtualMachineScaleSets/pool1',
      patchProfile({ storageProfile: { imageReference: { id, ...NO_MARKETPLACE } } }),
    );
    bench.askAndWait('DELETE', id);
    const answer = bench.ask('PATCH', 'virtualMachineScaleSets/pool1', { body: { sku: { capacity: 3 } } });
    expect([answer.status, codeOf(answer)]).toEqual([404, 'GalleryImageNotFound']);
    expect(bench.instances()).toHaveLength(2);
  });

  it('follows a definition to its highest version by number, leaving out the excluded ones', () => {
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

  it('takes the newest away first, and never a protected one', () => {
    const bench = new Bench({ scaleSets: [{ name: 'pool1', instances: 3 }] });
    bench.askAndWait('PUT', 'virtualMachineScaleSets/pool1/virtualMachines/2', {
      body: { location: 'westeurope', properties: { protectionPolicy: { protectFromScaleIn: true } } },
    });
    bench.askAndWait('PATCH', 'virtualMachineScaleSets/pool1', { body: { sku: { capacity: 2 } } });
    expect(bench.instances().map(({ instanceId }) => instanceId)).toEqual(['0', '2']);
    expect(Object.keys(bench.world.disks)).toHaveLength(2);
  });

  it('deletes named instances although they are protected', () => {
    const bench = new Bench();
    bench.askAndWait('PUT', 'virtualMachineScaleSets/pool1/virtualMachines/1', {
      body: { location: 'westeurope', properties: { protectionPolicy: { protectFromScaleSetActions: true } } },
    });
    bench.askAndWait('POST', 'virtualMachineScaleSets/pool1/delete', { body: { instanceIds: ['1'] } });
    expect(bench.instances().map(({ instanceId }) => instanceId)).toEqual(['0']);
    expect(objectAt(bench.ask('GET', 'virtualMachineScaleSets/pool1').body, 'sku')?.capacity).toBe(1);
  });
});

describe('extensions one by one', () => {
  it('are not deleted while another waits for them', () => {
    const bench = withExtensions();
    const answer = bench.ask('DELETE', 'virtualMachineScaleSets/pool1/extensions/cse');
    expect([answer.status, codeOf(answer)]).toEqual([400, 'BadRequest']);
    bench.askAndWait('DELETE', 'virtualMachineScaleSets/pool1/extensions/health');
    expect(bench.askAndWait('DELETE', 'virtualMachineScaleSets/pool1/extensions/cse').body?.status).toBe('Succeeded');
    expect(bench.ask('GET', 'virtualMachineScaleSets/pool1/extensions').body?.value).toHaveLength(1);
    expect(bench.set().secrets.protectedSettings).toEqual({ billing: { a: 'b' } });
  });

  it('survive a deletion that says it succeeded, when so dialled', () => {
    const bench = withExtensions();
    const strike = { fate: 'succeeded-but-not-applied' as const };
    expect(
      bench.askAndWait('DELETE', 'virtualMachineScaleSets/pool1/extensions/billing', { strike }).body?.status,
    ).toBe('Succeeded');
    expect(bench.ask('GET', 'virtualMachineScaleSets/pool1/extensions').body?.value).toHaveLength(3);
  });
});
