import { describe, expect, it } from 'vitest';
import { Secret } from '../base/secret.ts';
import type { ExtensionSettings } from './donor/inspect/inspection.ts';
import { leavingExtensions, settingsFound, withoutCommand } from './protected-settings.ts';
import { readSavedExtension } from './saved-extension.ts';

const SCRIPT = { publisher: 'Microsoft.Azure.Extensions', type: 'CustomScript' };
const saved = (name: string, settings?: object, more: object = SCRIPT) => ({ name, properties: { ...more, settings } });
const script = (settings?: object) => readSavedExtension(saved('vmssCSE', settings));

describe('leavingExtensions', () => {
  it('are the script extensions of a saved model', () => {
    const health = saved('health', {}, { publisher: 'Microsoft.ManagedServices', type: 'ApplicationHealthLinux' });
    expect(leavingExtensions({ extensions: [saved('vmssCSE'), health] }).map(({ name }) => name)).toEqual(['vmssCSE']);
  });
});

describe('withoutCommand', () => {
  it.each([
    [undefined, ['vmssCSE']],
    [{}, ['vmssCSE']],
    [{ commandToExecute: '' }, ['vmssCSE']],
    [{ fileUris: ['https://a/b.sh'] }, ['vmssCSE']],
    [{ script: [] }, ['vmssCSE']],
    [{ commandToExecute: 'join' }, []],
    [{ CommandToExecute: 'join' }, []],
    [{ script: ['echo'] }, []],
    [{ source: { script: 'echo' } }, []],
  ])('for the public settings %j is %j', (settings, expected) => {
    expect(withoutCommand([script(settings)], {})).toEqual(expected);
  });

  it('has none whose protected settings are known, even if they are empty', () => {
    expect(withoutCommand([script()], { vmssCSE: { commandToExecute: 'join' } })).toEqual([]);
    expect(withoutCommand([script()], { vmssCSE: {} })).toEqual([]);
    expect(withoutCommand([script()], { other: {} })).toEqual(['vmssCSE']);
  });
});

describe('settingsFound', () => {
  const found = (more: Partial<ExtensionSettings> = {}): ExtensionSettings => ({
    handler: 'microsoft.azure.extensions.CustomScript',
    version: '2.1.9',
    file: '/f',
    protected: { json: new Secret('{"commandToExecute":"join"}') },
    ...more,
  });

  it('matches by publisher and type, and takes the newest version of the handler', () => {
    const newer = found({ version: '2.1.10', protected: { json: new Secret('{"commandToExecute":"new"}') } });
    expect(settingsFound([script()], [newer, found()])).toEqual({ vmssCSE: { commandToExecute: 'new' } });
    expect(settingsFound([script()], [found({ handler: 'Other.CustomScript' })])).toEqual({});
  });

  it.each([
    ['none', { vmssCSE: {} }],
    ['unreadable', {}],
    [{ json: new Secret('not json') }, {}],
    [{ json: new Secret('[1]') }, {}],
  ] as const)('of %j is %j', (state, expected) => {
    expect(settingsFound([script()], [found({ protected: state })])).toEqual(expected);
  });

  it('does not guess between two extensions of one handler, unless the file has the name', () => {
    const two = ['a', 'b'].map((name) => readSavedExtension(saved(name)));
    expect(settingsFound(two, [found()])).toEqual({});
    expect(settingsFound(two, [found({ name: 'b' })])).toEqual({ b: { commandToExecute: 'join' } });
  });
});
