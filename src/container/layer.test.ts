import { gunzipSync } from 'node:zlib';
import fc from 'fast-check';
import { parseTar } from 'nanotar';
import { describe, expect, it } from 'vitest';
import { type LayerFile, layerOf, ociDigest } from './layer.ts';

const file = (path: string, text = path, isExecutable = false): LayerFile => ({
  path,
  bytes: Buffer.from(text),
  isExecutable,
});

const anyFiles = fc.uniqueArray(
  fc.record({
    path: fc.stringMatching(/^[a-z]{1,8}(\/[a-z]{1,8}){0,3}\.x$/),
    bytes: fc.uint8Array({ maxLength: 2000 }),
    isExecutable: fc.boolean(),
  }),
  { selector: ({ path }) => path },
);

describe('layerOf', () => {
  it('returns the same bytes for the same files in any order', () => {
    fc.assert(
      fc.property(anyFiles, (files) => {
        expect(layerOf(files.toReversed()).digest).toBe(layerOf(files).digest);
      }),
    );
  });

  it('contains every file with its bytes and mode, owned by root, after its parent folders', () => {
    fc.assert(
      fc.property(anyFiles, (files) => {
        const entries = parseTar(new Uint8Array(gunzipSync(layerOf(files).blob)));
        const seen = new Set<string>();
        for (const { name, type, attrs } of entries) {
          const folder = name.replace(/\/$/, '').split('/').slice(0, -1).join('/');
          if (folder !== '') expect(seen).toContain(`${folder}/`);
          expect(attrs).toMatchObject({ uid: 0, gid: 0, mtime: 0 });
          if (type === 'directory') expect(attrs?.mode).toMatch(/755$/);
          seen.add(name);
        }
        for (const { path, bytes, isExecutable } of files) {
          const entry = entries.find(({ name }) => name === path);
          expect(Buffer.from(entry?.data ?? [])).toEqual(Buffer.from(bytes));
          expect(entry?.attrs?.mode).toMatch(isExecutable ? /755$/ : /644$/);
        }
      }),
    );
  });

  it('ends with an end-of-archive marker, for any length', () => {
    const nineteenBlocks = [file('a', 'x'.repeat(19 * 512))]; // with its header, exactly one tar record
    expect(gunzipSync(layerOf(nineteenBlocks).blob).subarray(-1024)).toEqual(Buffer.alloc(1024));
  });

  it('returns the digests of the compressed bytes and of the archive inside', () => {
    const layer = layerOf([file('a')]);
    expect(layer.digest).toBe(ociDigest(layer.blob));
    expect(layer.diffId).toBe(ociDigest(gunzipSync(layer.blob)));
  });

  it('refuses a path that is too long, and a path that occurs twice', () => {
    expect(() => layerOf([file('x'.repeat(101))])).toThrow('too long');
    expect(() => layerOf([file('a'), file('a', 'other')])).toThrow('twice');
  });
});
