import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Conflict } from '../../base/failures.ts';
import type { ModelChange } from '../publisher.ts';
import { changeModel, deletionOrder, patchOf } from './change-model.ts';
import { accepted, wire } from './connect/testing.ts';
import { extension, rawScaleSet, scaleSet, scaleSetPool, versionId } from './scale-set.testing.ts';
import { type AzureScaleSet, imageOf, poolOf, scaleSetSchema } from './scale-set.ts';
import { azureOn } from './testing.ts';

describe('a model change as one update', () => {
  const change: ModelChange = {
    image: { kind: 'version', id: versionId },
    bootstrap: 'none',
    extensions: { keep: ['health'], add: [] },
    tags: { 'headstart-version': '2026.11.15' },
  };

  it('contains only the fields we own', () => {
    expect(patchOf(scaleSet(), change)).toEqual({
      tags: { team: 'a', 'headstart-version': '2026.11.15', 'headstart-bootstrap': 'none' },
      properties: {
        virtualMachineProfile: {
          storageProfile: {
            imageReference: { id: versionId, publisher: null, offer: null, sku: null, version: null },
          },
          osProfile: { customData: Buffer.from('#cloud-config\n').toString('base64') },
          extensionProfile: {
            extensionsTimeBudget: 'PT45M',
            extensions: [
              {
                name: 'health',
                properties: {
                  publisher: 'P',
                  type: 'health',
                  typeHandlerVersion: '1.0',
                  settings: { port: 1 },
                  suppressFailures: true,
                },
              },
            ],
          },
        },
      },
    });
  });

  it('removes the last extension with an empty list, and omits extensions when there are none', () => {
    const profileOf = (body: Record<string, unknown>) => JSON.stringify(body);
    expect(profileOf(patchOf(scaleSet(), { ...change, extensions: { keep: [], add: [] } }))).toContain(
      '"extensions":[]',
    );
    const bare = scaleSet({ profile: { extensionProfile: undefined } });
    expect(profileOf(patchOf(bare, { ...change, extensions: { keep: [], add: [] } }))).not.toContain(
      'extensionProfile',
    );
  });

  it('restores a marketplace image by clearing the id', () => {
    const image = { kind: 'marketplace', publisher: 'C', offer: 'o', sku: 's', version: '1' } as const;
    expect(patchOf(scaleSet(), { ...change, image })).toMatchObject({
      properties: {
        virtualMachineProfile: { storageProfile: { imageReference: { id: null, publisher: 'C', version: '1' } } },
      },
    });
  });

  it.each([
    ['communityGalleryImageId', '/CommunityGalleries/capz-1/Images/ubuntu/Versions/1.31.4'],
    ['sharedGalleryImageId', '/SharedGalleries/s-1/Images/node'],
  ] as const)('switches a pool from %s to a version and back, with one kind of reference each', (field, id) => {
    const before = { [field]: id };
    const set = scaleSet({ profile: { storageProfile: { imageReference: before, osDisk: { osType: 'Linux' } } } });
    const fieldsOf = (body: Record<string, unknown>) =>
      (body as { properties: { virtualMachineProfile: { storageProfile: { imageReference: object } } } }).properties
        .virtualMachineProfile.storageProfile.imageReference;
    const merged = (seen: object, sent: object) =>
      Object.fromEntries(Object.entries({ ...seen, ...sent }).filter(([, value]) => value !== null));

    const switched = merged(before, fieldsOf(patchOf(set, change)));
    expect(switched).toEqual({ id: versionId });
    const now = scaleSet({ profile: { storageProfile: { imageReference: switched, osDisk: { osType: 'Linux' } } } });
    const image = imageOf(set.properties.virtualMachineProfile?.storageProfile?.imageReference);
    for (const saved of [image, { kind: 'other', id } as const])
      expect(merged(switched, fieldsOf(patchOf(now, { ...change, image: saved })))).toEqual(before);
  });

  it('sends no OS profile to a specialized pool, and refuses custom data for it', () => {
    const special = scaleSet({ profile: { osProfile: undefined } });
    expect(JSON.stringify(patchOf(special, change))).not.toContain('osProfile');
    expect(() => patchOf(special, { ...change, bootstrap: { customData: 'eA==' } })).toThrow(
      expect.objectContaining({ code: 'vms/no-os-profile' }),
    );
  });

  it('sends protected settings only for extensions that it adds, and no empty ones', () => {
    const add = [extension('bootstrap'), extension('other')];
    const protectedSettings = { bootstrap: { token: 'canary' }, other: {}, health: { token: 'wrong' } };
    const body = patchOf(scaleSet(), { ...change, extensions: { keep: ['health'], add, protectedSettings } });
    expect(body).toMatchObject({
      properties: {
        virtualMachineProfile: {
          extensionProfile: {
            extensions: expect.arrayContaining([
              expect.objectContaining({
                name: 'bootstrap',
                properties: expect.objectContaining({ protectedSettings: { token: 'canary' } }),
              }),
            ]),
          },
        },
      },
    });
    expect(JSON.stringify(body).match(/protectedSettings/g)).toHaveLength(1);
    expect(JSON.stringify(body)).not.toContain('wrong');
  });

  it('sends no protected settings out of a saved extension', () => {
    const saved = extension('bootstrap');
    const add = [{ ...saved, properties: { ...saved.properties, protectedSettings: { token: 'canary' } } }];
    expect(JSON.stringify(patchOf(scaleSet(), { ...change, extensions: { keep: [], add } }))).not.toContain('canary');
  });

  it('has each extension once, and drops dependencies on missing extensions', () => {
    const names = ['a', 'b', 'c', 'd'];
    const some = fc.subarray(names);
    fc.assert(
      fc.property(some, some, some, fc.array(some, { minLength: 4, maxLength: 4 }), (there, keep, added, waits) => {
        const make = (name: string) =>
          extension(
            name,
            waits[names.indexOf(name)]?.filter((one) => one !== name),
          );
        const set = scaleSet({ profile: { extensionProfile: { extensions: there.map(make) } } });
        const body = patchOf(set, { ...change, extensions: { keep, add: added.map(make) } });
        const after =
          scaleSetSchema.shape.properties.parse(body.properties).virtualMachineProfile?.extensionProfile?.extensions ??
          [];
        const afterNames = after.map(({ name }) => name);
        const expected = new Set([...there.filter((name) => keep.includes(name)), ...added]);
        expect(afterNames.length).toBe(expected.size);
        expect(new Set(afterNames)).toEqual(expected);
        for (const one of after)
          for (const name of one.properties.provisionAfterExtensions ?? []) expect(afterNames).toContain(name);
      }),
    );
  });
});

describe('changing a model', () => {
  const unread = { status: 200, body: rawScaleSet({ top: { etag: undefined } }) };
  const read = { status: 200, body: rawScaleSet() };
  const change: ModelChange = {
    image: { kind: 'version', id: versionId },
    bootstrap: 'none',
    extensions: { keep: ['health'], add: [] },
    tags: {},
  };
  const poolOfSet = (set: AzureScaleSet) => poolOf(set, scaleSetPool, { generation: 'V2', architecture: 'x64' });
  const changedTo = (extensions: object[], image: object = { id: versionId.toUpperCase() }) => ({
    status: 200,
    body: rawScaleSet({ profile: { storageProfile: { imageReference: image }, extensionProfile: { extensions } } }),
  });

  it('is conditional on the ETag that was read', async () => {
    const { call, sent } = await wire(read, { status: 200 }, changedTo([extension('health')]));
    await changeModel(azureOn(call), poolOfSet(scaleSet()), change);
    expect(sent[1]).toMatchObject({ method: 'PATCH', ifMatch: '"7"' });
  });

  it('of a service without ETags sends no condition, and is a Conflict when the model has changed', async () => {
    const pool = poolOfSet(scaleSet({ top: { etag: undefined } }));
    const { call, sent } = await wire(unread, { status: 200 }, changedTo([extension('health')]));
    await changeModel(azureOn(call), pool, change);
    expect(sent[1]).toMatchObject({ method: 'PATCH', ifMatch: undefined });
    const other = { ...pool, model: { ...pool.model, extensions: [] } };
    await expect(changeModel(azureOn((await wire(unread)).call), other, change)).rejects.toBeInstanceOf(Conflict);
    const tagged = { ...pool, tags: { team: 'b' } };
    await expect(changeModel(azureOn((await wire(unread)).call), tagged, change)).rejects.toBeInstanceOf(Conflict);
  });

  it('reads the model back only when an extension has to go', async () => {
    const { call, sent } = await wire(read, { status: 200 });
    const keep = ['bootstrap', 'health'];
    await changeModel(azureOn(call), poolOfSet(scaleSet()), { ...change, extensions: { keep, add: [] } });
    expect(sent.map(({ method }) => method)).toEqual(['GET', 'PATCH']);
  });

  it('deletes extensions that Azure kept, and waits for each', async () => {
    const { call, sent } = await wire(
      ...[read, { status: 200 }, changedTo([extension('bootstrap'), extension('health')])],
      ...[accepted, { status: 200, body: { status: 'Succeeded' } }],
    );
    await changeModel(azureOn(call), poolOfSet(scaleSet()), change);
    expect(sent.map(({ method }) => method)).toEqual(['GET', 'PATCH', 'GET', 'DELETE', 'GET']);
    expect(sent[3]!.url.pathname).toMatch(/\/virtualMachineScaleSets\/pool\/extensions\/bootstrap$/);
  });

  it('deletes nothing while the old image is in the model: it needs its bootstrap', async () => {
    const { call, sent } = await wire(read, { status: 200 }, read);
    await changeModel(azureOn(call), poolOfSet(scaleSet()), change);
    expect(sent.map(({ method }) => method)).toEqual(['GET', 'PATCH', 'GET']);
  });

  it('names an extension that Azure does not delete, and how to delete it', async () => {
    const refused = { status: 409, body: { error: { code: 'ScopeLocked', message: 'locked' } } };
    const { call } = await wire(read, { status: 200 }, changedTo([extension('bootstrap')]), refused);
    await expect(changeModel(azureOn(call), poolOfSet(scaleSet()), change)).rejects.toMatchObject({
      code: 'vms/half-changed',
      message: expect.stringContaining('still has the extension bootstrap'),
      next: expect.stringContaining('az vmss extension delete --resource-group demo --vmss-name pool --name bootstrap'),
    });
  });

  it('deletes an extension before those that it waits for', () => {
    const some = fc.uniqueArray(fc.constantFrom('a', 'b', 'c', 'd', 'e'));
    fc.assert(
      fc.property(some, fc.array(some, { minLength: 5, maxLength: 5 }), (names, waits) => {
        // Each waits only for earlier ones, so that there is no cycle.
        const made = names.map((name, i) =>
          extension(
            name,
            waits[i]!.filter((other) => names.indexOf(other) < i && names.includes(other)),
          ),
        );
        const order = deletionOrder(made);
        expect([...order].sort()).toEqual([...names].sort());
        for (const { name, properties } of made)
          for (const other of properties.provisionAfterExtensions ?? [])
            expect(order.indexOf(name)).toBeLessThan(order.indexOf(other));
      }),
    );
  });
});
