import { describe, expect, it } from 'vitest';
import { cacheFolder } from './open-cache.ts';

describe('cacheFolder', () => {
  const env = { HEADSTART_CACHE: '/h', XDG_CACHE_HOME: '/x', HOME: '/home/me' };

  it('prefers the option, then each variable in turn', () => {
    expect(cacheFolder({ cache: '/c' }, env)).toBe('/c');
    expect(cacheFolder({}, env)).toBe('/h/image');
    expect(cacheFolder({}, { ...env, HEADSTART_CACHE: undefined })).toBe('/x/headstart/image');
    expect(cacheFolder({}, { HOME: '/home/me' })).toBe('/home/me/.cache/headstart/image');
  });

  it('ignores a relative XDG_CACHE_HOME, as its specification demands', () => {
    expect(cacheFolder({}, { XDG_CACHE_HOME: 'x', HOME: '/home/me' })).toBe('/home/me/.cache/headstart/image');
  });

  it('asks for a folder where no variable names one', () => {
    expect(() => cacheFolder({}, {})).toThrow(expect.objectContaining({ code: 'image/no-cache-folder' }));
  });
});
