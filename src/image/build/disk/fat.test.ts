import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type FatFile, fatFileSystem } from './fat.ts';

const MIB = 2 ** 20;
const options = { bytes: 128 * MIB, startBytes: MIB, serial: 0x1234abcd, label: 'ESP' };

const name = fc.stringMatching(/^[A-Za-z0-9_][A-Za-z0-9_.-]{0,40}$/);
const paths = fc
  .uniqueArray(fc.array(name, { minLength: 1, maxLength: 3 }), {
    maxLength: 40,
    selector: (names) => names.join('/').toUpperCase(),
  })
  .filter(isTree);
const tree = paths.chain((all) =>
  fc.tuple(
    ...all.map((names) => fc.uint8Array({ maxLength: 5000 }).map((bytes) => ({ path: names.join('/'), bytes }))),
  ),
);

describe('fatFileSystem', () => {
  it('stores files so that a reader of the specification finds them by their long names', () => {
    fc.assert(
      fc.property(tree, (files) => {
        const found = readAll(imageOf(files));
        expect(Object.keys(found).sort()).toEqual(files.map(({ path }) => path).sort());
        for (const { path, bytes } of files) expect(found[path]!.equals(bytes)).toBe(true);
      }),
      { numRuns: 60 },
    );
  });

  it('does not depend on the order of files', () => {
    fc.assert(
      fc.property(tree, fc.integer(), (files, seed) => {
        const other = files.toSorted((a, b) => ((a.path.length * seed) % 7) - ((b.path.length * seed) % 7));
        expect(fatFileSystem(other, options)).toEqual(fatFileSystem(files, options));
      }),
      { numRuns: 30 },
    );
  });

  it('gives unique short names in every folder', () => {
    const files = ['entry-one.conf', 'entry-two.conf', 'ENTRY-THREE.CONF'].map((path) => ({
      path,
      bytes: Buffer.from(path),
    }));
    expect(Object.keys(readAll(imageOf(files))).sort()).toEqual(files.map(({ path }) => path).sort());
    const shorts = rootEntries(imageOf(files)).filter(({ attribute }) => attribute === 0x20);
    expect(new Set(shorts.map((entry) => entry.short)).size).toBe(3);
  });

  it('refuses files that do not fit, invalid names, and names that differ only in case', () => {
    const big = { path: 'vmlinuz', bytes: new Uint8Array(128 * MIB) };
    expect(() => fatFileSystem([big], options)).toThrow(/do not fit/);
    expect(() => fatFileSystem([], { ...options, bytes: 32 * MIB })).toThrow(/too small/);
    for (const path of ['../x', 'a//b', 'ä', 'x y', '', '.hidden'])
      expect(() => fatFileSystem([{ path, bytes: Buffer.alloc(1) }], options), path).toThrow(/not a valid name/);
    const duplicates = ['a/Loader.conf', 'a/loader.CONF'].map((path) => ({ path, bytes: Buffer.alloc(1) }));
    expect(() => fatFileSystem(duplicates, options)).toThrow(/twice/);
  });
});

/** No path is both a file and a folder, and no two differ only in case. */
function isTree(all: readonly string[][]): boolean {
  const kinds = new Map<string, string>();
  return all.every((names) =>
    names.every((_, index) => {
      const path = names.slice(0, index + 1).join('/');
      const kind = `${index === names.length - 1 ? 'file' : 'folder'} ${path}`;
      const key = path.toUpperCase();
      if (!kinds.has(key)) kinds.set(key, kind);
      return kinds.get(key) === kind;
    }),
  );
}

/** The part of the file system that contains data. */
function imageOf(files: readonly FatFile[]): Buffer {
  const pieces = fatFileSystem(files, options);
  const image = Buffer.alloc(Math.max(...pieces.map(({ at, bytes }) => at + bytes.length)) + 4096);
  for (const { at, bytes } of pieces) bytes.copy(image, at);
  return image;
}

interface Entry {
  name: string;
  short: string;
  attribute: number;
  cluster: number;
  bytes: number;
}

function readAll(image: Buffer): Record<string, Buffer> {
  const files: Record<string, Buffer> = {};
  const walk = (cluster: number, prefix: string) => {
    for (const entry of entriesIn(chainOf(image, cluster))) {
      if (entry.attribute === 0x08 || entry.short.startsWith('.')) continue;
      const path = `${prefix}${entry.name}`;
      if (entry.attribute === 0x10) walk(entry.cluster, `${path}/`);
      else files[path] = entry.cluster === 0 ? Buffer.alloc(0) : chainOf(image, entry.cluster).subarray(0, entry.bytes);
    }
  };
  walk(image.readUInt32LE(44), '');
  return files;
}

const rootEntries = (image: Buffer) => entriesIn(chainOf(image, image.readUInt32LE(44)));

/** The cluster chain according to the second table; both tables are equal. */
function chainOf(image: Buffer, first: number): Buffer {
  const [sector, perCluster, reserved, tables] = [
    image.readUInt16LE(11),
    image[13]!,
    image.readUInt16LE(14),
    image[16]!,
  ];
  const fatBytes = image.readUInt32LE(36) * sector;
  const table = (number: number) => reserved * sector + number * fatBytes;
  const data = table(tables);
  const size = sector * perCluster;
  const parts: Buffer[] = [];
  for (let cluster = first; cluster < 0x0ffffff8; cluster = image.readUInt32LE(table(1) + 4 * cluster)) {
    expect(image.readUInt32LE(table(0) + 4 * cluster)).toBe(image.readUInt32LE(table(1) + 4 * cluster));
    parts.push(image.subarray(data + (cluster - 2) * size, data + (cluster - 1) * size));
  }
  return Buffer.concat(parts);
}

function entriesIn(folder: Buffer): Entry[] {
  const entries: Entry[] = [];
  let long = '';
  for (let at = 0; at + 32 <= folder.length && folder[at] !== 0; at += 32) {
    const raw = folder.subarray(at, at + 32);
    if (raw[11] === 0x0f) {
      const part = Buffer.concat([raw.subarray(1, 11), raw.subarray(14, 26), raw.subarray(28, 32)]).toString('utf16le');
      long = part.replace(/\0.*$/s, '') + long;
      continue;
    }
    const short = raw.toString('latin1', 0, 11);
    const plain = `${short.slice(0, 8).trim()}${short.slice(8).trim() && `.${short.slice(8).trim()}`}`;
    const cluster = (raw.readUInt16LE(20) << 16) + raw.readUInt16LE(26);
    entries.push({ name: long || plain, short, attribute: raw[11]!, cluster, bytes: raw.readUInt32LE(28) });
    long = '';
  }
  return entries;
}
