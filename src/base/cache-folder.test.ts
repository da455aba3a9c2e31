import { existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { join, resolve } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { cacheFolder, ensureCacheFolder, ensureFolder, writeToCache } from './cache-folder.ts';
import { UserError } from './errors.ts';

it.each([
  [{ HEADSTART_CACHE: '/c', XDG_CACHE_HOME: '/x', HOME: '/h' }, '/c'],
  [{ HEADSTART_CACHE: 'c' }, resolve('c')],
  [{ XDG_CACHE_HOME: '/x', HOME: '/h' }, '/x/headstart'],
  [{ XDG_CACHE_HOME: 'relative', HOME: '/h' }, '/h/.cache/headstart'],
  [{ HEADSTART_CACHE: '', XDG_CACHE_HOME: '', HOME: '/h' }, '/h/.cache/headstart'],
  // Never in the current folder, where another user may be able to write.
  [{}, join(userInfo().homedir, '.cache/headstart')],
  [{ HOME: '' }, join(userInfo().homedir, '.cache/headstart')],
  [{ HOME: 'relative' }, join(userInfo().homedir, '.cache/headstart')],
])('with %j, the cache is %s', (env, folder) => {
  expect(cacheFolder(env)).toBe(folder);
});

it('names HEADSTART_CACHE if the system knows no home of the user', () => {
  const unknown = () => {
    throw new Error('A system error occurred: uv_os_get_passwd returned ENOENT');
  };
  expect(() => cacheFolder({}, unknown)).toThrow(
    expect.objectContaining({ code: 'cli/no-cache-folder', next: expect.stringContaining('HEADSTART_CACHE') }),
  );
  expect(cacheFolder({ HOME: '/h' }, unknown)).toBe('/h/.cache/headstart');
});

describe('a folder', () => {
  let parent: string;
  beforeEach(() => {
    parent = mkdtempSync(join(tmpdir(), 'headstart-cache-'));
  });
  afterEach(() => rmSync(parent, { recursive: true }));

  it('of the cache is created', () => {
    ensureCacheFolder(join(parent, 'a/b'), 0o700);
    expect(statSync(join(parent, 'a/b')).mode & 0o777).toBe(0o700);
  });

  it('of the cache that cannot be created is an error with the next step', () => {
    writeFileSync(join(parent, 'file'), '');
    const folders = [join(parent, 'file'), join(parent, 'file/sub'), '/dev/null', '/proc/headstart/cache'];
    for (const folder of folders.filter((path) => path.startsWith(parent) || existsSync('/proc/self')))
      expect(() => ensureCacheFolder(folder), folder).toThrow(
        expect.objectContaining({
          code: 'cli/cache-unwritable',
          message: expect.stringMatching(new RegExp(`^cannot write to the cache ${folder}: .*[a-z]$`)),
          next: 'name a writable folder with HEADSTART_CACHE',
          exitCode: 1,
        }),
      );
  });

  it.each([
    ['EACCES', 'permission denied'],
    ['EROFS', 'the file system is read-only'],
    ['ENOSPC', 'the disk is full'],
  ])('of the cache that refuses a file with %s is the same error', (code, why) => {
    const fail = () => {
      throw Object.assign(new Error('refused'), { code, syscall: 'open' });
    };
    expect(() => writeToCache('/c', fail)).toThrow(`cannot write to the cache /c: ${why}`);
    expect(() => writeToCache('/c', fail)).toThrow(UserError);
  });

  it('hides no bug', () => {
    const fail = () => {
      throw new TypeError('no such asset');
    };
    expect(() => writeToCache('/c', fail)).toThrow(TypeError);
  });

  it('is created with its parents and their mode; an existing one is accepted', () => {
    const folder = join(parent, 'a/b');
    ensureFolder(folder, 0o700);
    ensureFolder(folder, 0o755);
    for (const path of [folder, join(parent, 'a')]) expect(statSync(path).mode & 0o777).toBe(0o700);
  });

  it.skipIf(!existsSync('/proc/self'))('is an error where the file system refuses new folders with ENOENT', () => {
    expect(() => ensureFolder('/proc/headstart/cache')).toThrow(expect.objectContaining({ code: 'ENOENT' }));
  });

  it('is an error if it, or one above it, is a file', () => {
    writeFileSync(join(parent, 'file'), '');
    expect(() => ensureFolder(join(parent, 'file'))).toThrow(expect.objectContaining({ code: 'EEXIST' }));
    for (const name of ['file/sub', 'file/sub/sub'])
      expect(() => ensureFolder(join(parent, name)), name).toThrow(expect.objectContaining({ code: 'ENOTDIR' }));
  });
});
