import { resolve } from 'node:path';
import { expect, it } from 'vitest';
import { cacheFolder } from './cache-folder.ts';

it.each([
  [{ HEADSTART_CACHE: '/c', XDG_CACHE_HOME: '/x', HOME: '/h' }, '/c'],
  [{ HEADSTART_CACHE: 'c' }, resolve('c')],
  [{ XDG_CACHE_HOME: '/x', HOME: '/h' }, '/x/headstart'],
  [{ XDG_CACHE_HOME: 'relative', HOME: '/h' }, '/h/.cache/headstart'],
  [{ HEADSTART_CACHE: '', XDG_CACHE_HOME: '', HOME: '/h' }, '/h/.cache/headstart'],
])('with %j, the cache is %s', (env, folder) => {
  expect(cacheFolder(env)).toBe(folder);
});
