import { describe, expect, it } from 'vitest';
import { imageCacheFolder } from './open-cache.ts';

describe('imageCacheFolder', () => {
  const env = { HEADSTART_CACHE: '/h', XDG_CACHE_HOME: '/x', HOME: '/home/me' };

  it('prefers the option, then each variable in turn', () => {
    expect(imageCacheFolder({ cache: '/c' }, env)).toBe('/c');
    expect(imageCacheFolder({}, env)).toBe('/h/image');
    expect(imageCacheFolder({}, { ...env, HEADSTART_CACHE: undefined })).toBe('/x/headstart/image');
    expect(imageCacheFolder({}, { HOME: '/home/me' })).toBe('/home/me/.cache/headstart/image');
  });

  it('ignores a relative XDG_CACHE_HOME, as the specification requires', () => {
    expect(imageCacheFolder({}, { XDG_CACHE_HOME: 'x', HOME: '/home/me' })).toBe('/home/me/.cache/headstart/image');
  });

  it('throws if no variable names a folder', () => {
    for (const env of [{}, { HOME: '' }, { HOME: 'relative' }])
      expect(() => imageCacheFolder({}, env)).toThrow(expect.objectContaining({ code: 'image/no-cache-folder' }));
  });
});
