import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ensureUnpacked, isEmbedded, nameOf, unpack, unpackedFolder } from './embedded-files.ts';

const INDEX = {
  sha256: 'ab'.repeat(32),
  files: [
    { path: 'tools/kube/go.mod', isExecutable: false },
    { path: 'sims/tools/sync', isExecutable: true },
  ],
};

describe('an embedded file', () => {
  it('is named by its path, relative to the source that names it', () => {
    const url = new URL('../units/a.service', 'embedded:///src/boot/keep/record.ts');
    expect([isEmbedded(url), nameOf(url)]).toEqual([true, 'src/boot/units/a.service']);
    expect(isEmbedded(new URL('file:///src/a'))).toBe(false);
  });

  it.each([
    [{ HEADSTART_CACHE: '/c' }, '/c/files/abababababababab'],
    [{ XDG_CACHE_HOME: '/x', HOME: '/h' }, '/x/headstart/files/abababababababab'],
    [{ XDG_CACHE_HOME: 'relative', HOME: '/h' }, '/h/.cache/headstart/files/abababababababab'],
  ])('is unpacked below the cache folder of %j', (env, folder) => {
    expect(unpackedFolder(INDEX, env)).toBe(folder);
  });
});

describe('unpacking', () => {
  let parent: string;
  beforeEach(() => {
    parent = mkdtempSync(join(tmpdir(), 'headstart-unpack-'));
  });
  afterEach(() => rmSync(parent, { recursive: true }));

  it('writes every file with its mode', () => {
    const folder = join(parent, 'cache/one');
    unpack(INDEX, folder, (path) => Buffer.from(`content of ${path}`));
    expect(readFileSync(join(folder, 'tools/kube/go.mod'), 'utf8')).toBe('content of tools/kube/go.mod');
    const isExecutable = INDEX.files.map(({ path }) => (statSync(join(folder, path)).mode & 0o100) !== 0);
    expect(isExecutable).toEqual([false, true]);
    expect(readdirSync(join(parent, 'cache'))).toEqual(['one']);
  });

  it('leaves nothing behind if a file cannot be read', () => {
    const fail = () => {
      throw new Error('no such asset');
    };
    expect(() => unpack(INDEX, join(parent, 'one'), fail)).toThrow('no such asset');
    expect(readdirSync(parent)).toEqual([]);
  });

  it.each(['cache', 'cache/one'])('reports a cache folder that is a file: %s', (name) => {
    const taken = join(parent, 'cache');
    writeFileSync(taken, '');
    expect(() => unpack(INDEX, join(parent, name, 'one'), () => Buffer.from('x'))).toThrow(
      expect.objectContaining({ code: 'cli/cache-unwritable' }),
    );
  });

  it('accepts the files of a process that was faster', () => {
    const folder = join(parent, 'one');
    unpack(INDEX, folder, () => Buffer.from('first'));
    unpack(INDEX, folder, () => Buffer.from('second'));
    expect(readFileSync(join(folder, 'sims/tools/sync'), 'utf8')).toBe('first');
    expect(readdirSync(parent)).toEqual(['one']);
    expect(existsSync(folder)).toBe(true);
  });

  it('is done again for deleted files only', () => {
    const folder = join(parent, 'one');
    const texts = () => INDEX.files.map(({ path }) => readFileSync(join(folder, path), 'utf8'));
    ensureUnpacked(INDEX, folder, () => Buffer.from('first'));
    expect(texts()).toEqual(['first', 'first']);
    rmSync(join(folder, 'sims'), { recursive: true });
    ensureUnpacked(INDEX, folder, () => Buffer.from('second'));
    expect(texts()).toEqual(['first', 'second']);
    expect(statSync(join(folder, 'sims/tools/sync')).mode & 0o777).toBe(0o755);
    ensureUnpacked(INDEX, folder, () => {
      throw new Error('nothing is missing');
    });
  });

  it('reports a deleted file that cannot be written', () => {
    const folder = join(parent, 'one');
    unpack(INDEX, folder, () => Buffer.from('first'));
    rmSync(join(folder, 'sims'), { recursive: true });
    writeFileSync(join(folder, 'sims'), '');
    expect(() => ensureUnpacked(INDEX, folder, () => Buffer.from('second'))).toThrow(
      expect.objectContaining({ code: 'cli/cache-unwritable' }),
    );
  });
});
