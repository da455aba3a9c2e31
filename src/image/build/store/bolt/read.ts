// image/build/store/bolt/read.ts: read a bolt file completely, or throw. Trusts nothing: reads no page twice, and checks that every entry is inside its page.
import { UserError } from '../../../../base/errors.ts';
import {
  BRANCH,
  BUCKET_FLAG,
  BUCKET_HEADER,
  ELEMENT,
  LEAF,
  MAGIC,
  META,
  META_BYTES,
  metaChecksum,
  PAGE_HEADER,
  PAGE_SIZES,
  VERSION,
} from './page.ts';
import type { BoltBucket, BoltEntry, BoltFile } from './tree.ts';

/** `name` is only for error messages. */
export function readBolt(bytes: Uint8Array, name: string): BoltFile {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const meta = newestMeta(file);
  if (!meta) throw broken(name, 'neither of its first two pages is a valid meta page');
  const reader = new Reader(file, meta, name);
  return { pageSize: meta.pageSize, root: reader.bucket(meta.root, meta.sequence, 0) };
}

interface Meta {
  pageSize: number;
  root: bigint;
  sequence: bigint;
  pages: bigint;
  transaction: bigint;
}

/** bolt writes the two meta pages alternately: after a crash one of them is valid. */
function newestMeta(file: Buffer): Meta | undefined {
  const first = metaAt(file, 0);
  const sizes = first ? [first.pageSize] : PAGE_SIZES;
  const found = [first, ...sizes.map((size) => metaAt(file, size))].filter((meta) => meta !== undefined);
  return found.sort((a, b) => (a.transaction < b.transaction ? 1 : -1))[0];
}

function metaAt(file: Buffer, offset: number): Meta | undefined {
  const end = offset + PAGE_HEADER + META_BYTES;
  if (end > file.length || (file.readUInt16LE(offset + 8) & META) === 0) return undefined;
  const meta = file.subarray(offset + PAGE_HEADER, end);
  const pageSize = meta.readUInt32LE(8);
  const isMeta = meta.readUInt32LE(0) === MAGIC && meta.readUInt32LE(4) === VERSION && PAGE_SIZES.includes(pageSize);
  if (!isMeta || meta.readBigUInt64LE(56) !== metaChecksum(meta)) return undefined;
  return {
    pageSize,
    root: meta.readBigUInt64LE(16),
    sequence: meta.readBigUInt64LE(24),
    pages: meta.readBigUInt64LE(40),
    transaction: meta.readBigUInt64LE(48),
  };
}

interface Element {
  /** Where the element begins in its page. */
  offset: number;
  key: Buffer;
  /** From the end of the key to the end of the page. */
  rest: Buffer;
}

interface PageLocation {
  /** For error messages. */
  where: string;
  depth: number;
  isInline: boolean;
}

/** Limit of nested buckets and pages, far above what bolt writes. */
const MAX_DEPTH = 64;

class Reader {
  private readonly file: Buffer;
  private readonly meta: Meta;
  private readonly name: string;
  private readonly seen = new Set<number>();

  constructor(file: Buffer, meta: Meta, name: string) {
    this.file = file;
    this.meta = meta;
    this.name = name;
  }

  bucket(root: bigint, sequence: bigint, depth: number): BoltBucket {
    const entries = this.below(root, depth);
    this.expectOrder(entries);
    return { sequence, entries };
  }

  private below(id: bigint, depth: number): BoltEntry[] {
    if (depth > MAX_DEPTH) throw this.broken(`it has more than ${MAX_DEPTH} levels`);
    const page = this.page(id);
    const flags = page.readUInt16LE(8);
    if (flags === LEAF) return this.leaf(page, { where: `page ${id}`, depth, isInline: false });
    if (flags !== BRANCH) throw this.broken(`page ${id} is neither a branch nor a leaf`);
    const children = this.elements(page, `page ${id}`, { positionAt: 0, keySizeAt: 4 });
    if (children.length === 0) throw this.broken(`page ${id} is a branch without children`);
    return children.flatMap(({ offset }) => this.below(page.readBigUInt64LE(offset + 8), depth + 1));
  }

  private leaf(page: Buffer, at: PageLocation): BoltEntry[] {
    const { where } = at;
    let end = 0;
    return this.elements(page, where, { positionAt: 4, keySizeAt: 8 }).map(({ offset, key, rest }) => {
      const size = page.readUInt32LE(offset + 12);
      const start = page.length - rest.length;
      // Overlapping entries would turn a small file into a huge tree.
      if (size > rest.length || start - key.length < end) throw this.broken(`an entry is outside ${where}`);
      end = start + size;
      const value = rest.subarray(0, size);
      return (page.readUInt32LE(offset) & BUCKET_FLAG) === 0 ? { key, value } : { key, bucket: this.nested(value, at) };
    });
  }

  private nested(value: Buffer, { where, depth, isInline }: PageLocation): BoltBucket {
    if (value.length < BUCKET_HEADER) throw this.broken(`a bucket of ${where} is truncated`);
    const [root, sequence] = [value.readBigUInt64LE(0), value.readBigUInt64LE(8)];
    if (root !== 0n) return this.bucket(root, sequence, depth + 1);
    const page = value.subarray(BUCKET_HEADER);
    // An inline bucket contains no buckets: bolt stores those in separate pages.
    if (isInline || page.length < PAGE_HEADER || page.readUInt16LE(8) !== LEAF)
      throw this.broken(`a bucket of ${where} is not a leaf`);
    const entries = this.leaf(page, { where: `a bucket of ${where}`, depth, isInline: true });
    this.expectOrder(entries);
    return { sequence, entries };
  }

  private elements(page: Buffer, where: string, { positionAt, keySizeAt }: Record<'positionAt' | 'keySizeAt', number>) {
    const count = page.readUInt16LE(10);
    const first = PAGE_HEADER + count * ELEMENT;
    if (first > page.length) throw this.broken(`${where} claims ${count} entries, more than fit into it`);
    return Array.from({ length: count }, (_, index): Element => {
      const offset = PAGE_HEADER + index * ELEMENT;
      const start = offset + page.readUInt32LE(offset + positionAt);
      const end = start + page.readUInt32LE(offset + keySizeAt);
      if (start < first || end > page.length) throw this.broken(`an entry is outside ${where}`);
      return { offset, key: page.subarray(start, end), rest: page.subarray(end) };
    });
  }

  private page(id: bigint): Buffer {
    const { pageSize, pages } = this.meta;
    const start = Number(id) * pageSize;
    if (id < 2n || id >= pages || start + pageSize > this.file.length)
      throw this.broken(`page ${id} is not in the file (truncated?)`);
    if (this.file.readBigUInt64LE(start) !== id) throw this.broken(`page ${id} has another id`);
    const length = 1 + this.file.readUInt32LE(start + 12);
    const end = start + length * pageSize;
    if (end > this.file.length || id + BigInt(length) > pages) throw this.broken(`page ${id} extends beyond the file`);
    for (let taken = Number(id); taken < Number(id) + length; taken++) {
      if (this.seen.has(taken)) throw this.broken(`page ${taken} is used twice`);
      this.seen.add(taken);
    }
    return this.file.subarray(start, end);
  }

  private expectOrder(entries: readonly BoltEntry[]): void {
    const isSorted = entries.every(({ key }, index) => index === 0 || Buffer.compare(entries[index - 1]!.key, key) < 0);
    if (!isSorted) throw this.broken('the keys of a bucket are not sorted');
  }

  private broken(why: string): UserError {
    return broken(this.name, why);
  }
}

function broken(name: string, why: string): UserError {
  return new UserError(`the database ${name} is damaged: ${why}`, {
    code: 'image/damaged-database',
    kept: 'The database was not changed.',
    next: 'run the same command again; if it is damaged again, check the disk',
    exitCode: 1,
  });
}
