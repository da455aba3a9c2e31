import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ModelChange } from '../publisher.ts';
import { patchOf } from './change-model.ts';
import { extension, scaleSet, versionId } from './scale-set.testing.ts';
import { scaleSetSchema } from './scale-set.ts';

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
