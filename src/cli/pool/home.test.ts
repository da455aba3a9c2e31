import { describe, expect, it } from 'vitest';
import { homeFolder } from './home.ts';

describe('homeFolder', () => {
  it.each([
    [{ home: '/a' }, { HEADSTART_HOME: '/b', XDG_DATA_HOME: '/c', HOME: '/d' }, '/a'],
    [{}, { HEADSTART_HOME: '/b', XDG_DATA_HOME: '/c', HOME: '/d' }, '/b'],
    [{}, { XDG_DATA_HOME: '/c', HOME: '/d' }, '/c/headstart'],
    [{}, { XDG_DATA_HOME: 'relative', HOME: '/d' }, '/d/.local/share/headstart'],
    [{}, { HEADSTART_HOME: '', HOME: '/d' }, '/d/.local/share/headstart'],
  ])('with %j and %j is %s', (options, env, folder) => {
    expect(homeFolder(options, env)).toBe(folder);
  });

  it.each([
    ['--home', { home: import.meta.filename }, {}],
    ['HEADSTART_HOME', {}, { HEADSTART_HOME: import.meta.filename }],
  ])('refuses a file in %s', (setting, options, env) => {
    expect(() => homeFolder(options, env)).toThrow(
      expect.objectContaining({ code: 'pool/bad-home', message: expect.stringContaining(`${setting} is `) }),
    );
  });

  it('throws if no variable names a folder', () => {
    for (const env of [{}, { HOME: '' }, { HOME: 'relative' }])
      expect(() => homeFolder({}, env)).toThrow(expect.objectContaining({ code: 'pool/no-home' }));
  });
});
