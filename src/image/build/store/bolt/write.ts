// image/build/store/bolt/write.ts: write a bolt file whose bytes depend only on its content: no history, no free pages, sorted keys, one transaction.
import {
  BRANCH,
  BUCKET_FLAG,
  ELEMENT,
  FREELIST,
  LEAF,
  MAGIC,
  META,
  META_BYTES,
  metaChecksum,
  PAGE_HEADER,
  VERSION,
} from './page.ts';
import { type BoltBucket, type BoltFile, isNested } from './tree.ts';

export function writeBolt({ pageSize, root }: BoltFile): Buffer {
  const pages = new Pages(pageSize);
  const rootId = bucketPages(root, pages);
  pages.put(FREELIST_PAGE, FREELIST, 0, Buffer.alloc(0));
  for (const id of [0, 1]) pages.put(id, META, 0, metaOf(id, { pageSize, rootId, root, pages: pages.count }));
  return pages.bytes();
}

const FREELIST_PAGE = 2;
const MAX_KEY_BYTES = 32768;

interface Item {
  flags: number;
  key: Uint8Array;
  value: Uint8Array;
}

interface Child {
  key: Uint8Array;
  id: number;
}

class Pages {
  /** The first three pages: two for meta, one for the freelist. */
  count = FREELIST_PAGE + 1;
  readonly pageSize: number;
  private readonly written: { id: number; page: Buffer }[] = [];

  constructor(pageSize: number) {
    this.pageSize = pageSize;
  }

  add(flags: number, count: number, content: Buffer): number {
    const id = this.count;
    this.count += this.put(id, flags, count, content);
    return id;
  }

  /** Returns the number of pages it took. */
  put(id: number, flags: number, count: number, content: Buffer): number {
    const length = Math.ceil((PAGE_HEADER + content.length) / this.pageSize);
    const page = Buffer.concat([pageHeader({ id, flags, count, overflow: length - 1 }), content]);
    this.written.push({ id, page });
    return length;
  }

  bytes(): Buffer {
    const file = Buffer.alloc(this.count * this.pageSize);
    for (const { id, page } of this.written) page.copy(file, id * this.pageSize);
    return file;
  }
}

/** Returns the root page. */
function bucketPages(bucket: BoltBucket, pages: Pages): number {
  return treePages(itemsOf(bucket, pages), pages);
}

function itemsOf({ entries }: BoltBucket, pages: Pages): Item[] {
  const sorted = entries.toSorted((a, b) => Buffer.compare(a.key, b.key));
  for (const [index, { key }] of sorted.entries()) {
    if (key.length === 0 || key.length > MAX_KEY_BYTES) throw new Error(`a key has ${key.length} bytes`);
    if (index > 0 && Buffer.compare(sorted[index - 1]!.key, key) === 0) throw new Error('a key occurs twice');
  }
  return sorted.map((entry) =>
    isNested(entry)
      ? { flags: BUCKET_FLAG, key: entry.key, value: bucketValue(entry.bucket, pages) }
      : { flags: 0, key: entry.key, value: entry.value },
  );
}

/** bolt stores small buckets inline. */
function bucketValue(bucket: BoltBucket, pages: Pages): Buffer {
  const items = itemsOf(bucket, pages);
  const isSmall = items.reduce((sum, item) => sum + itemBytes(item), PAGE_HEADER) <= pages.pageSize / 4;
  if (!isSmall || items.some(({ flags }) => flags !== 0)) return bucketHeader(treePages(items, pages), bucket.sequence);
  const header = pageHeader({ id: 0, flags: LEAF, count: items.length, overflow: 0 });
  return Buffer.concat([bucketHeader(0, bucket.sequence), header, leafContent(items)]);
}

/** Writes leaves first, then branches until one page remains. */
function treePages(items: readonly Item[], pages: Pages): number {
  const room = pages.pageSize - PAGE_HEADER;
  let level: Child[] = groups(items, itemBytes, { room, least: 1 }).map((group) => ({
    key: group[0]?.key ?? new Uint8Array(),
    id: pages.add(LEAF, group.length, leafContent(group)),
  }));
  while (level.length > 1) {
    level = groups(level, ({ key }) => ELEMENT + key.length, { room, least: 2 }).map((group) => ({
      key: group[0]!.key,
      id: pages.add(BRANCH, group.length, branchContent(group)),
    }));
  }
  return level[0]!.id;
}

/** At least one group, each as full as possible. bolt requires two children per branch, so a single remaining child joins the previous group. */
function groups<T>(all: readonly T[], bytesOf: (one: T) => number, { room, least }: { room: number; least: number }) {
  const made: T[][] = [[]];
  let used = 0;
  for (const [index, one] of all.entries()) {
    const bytes = bytesOf(one);
    const isFull = made.at(-1)!.length >= least && used + bytes > room;
    if (isFull && all.length - index >= least) {
      made.push([]);
      used = 0;
    }
    made.at(-1)!.push(one);
    used += bytes;
  }
  return made;
}

const itemBytes = ({ key, value }: Item) => ELEMENT + key.length + value.length;

function leafContent(items: readonly Item[]): Buffer {
  let end = items.length * ELEMENT;
  const elements = items.map(({ flags, key, value }, index) => {
    const element = numbers32(flags, end - index * ELEMENT, key.length, value.length);
    end += key.length + value.length;
    return element;
  });
  return Buffer.concat([...elements, ...items.flatMap(({ key, value }) => [key, value])]);
}

function branchContent(children: readonly Child[]): Buffer {
  let end = children.length * ELEMENT;
  const elements = children.map(({ key, id }, index) => {
    const element = Buffer.concat([numbers32(end - index * ELEMENT, key.length), numbers64(id)]);
    end += key.length;
    return element;
  });
  return Buffer.concat([...elements, ...children.map(({ key }) => key)]);
}

function pageHeader({ id, flags, count, overflow }: Record<'id' | 'flags' | 'count' | 'overflow', number>): Buffer {
  const header = Buffer.alloc(PAGE_HEADER);
  header.writeBigUInt64LE(BigInt(id), 0);
  header.writeUInt16LE(flags, 8);
  header.writeUInt16LE(count, 10);
  header.writeUInt32LE(overflow, 12);
  return header;
}

const bucketHeader = (root: number, sequence: bigint): Buffer => numbers64(root, sequence);

interface MetaParts {
  pageSize: number;
  rootId: number;
  root: BoltBucket;
  pages: number;
}

/** The two meta pages differ only in their transaction number; bolt uses the newer one. */
function metaOf(transaction: number, { pageSize, rootId, root, pages }: MetaParts): Buffer {
  const meta = Buffer.alloc(META_BYTES);
  numbers32(MAGIC, VERSION, pageSize, 0).copy(meta);
  numbers64(rootId, root.sequence, FREELIST_PAGE, pages, transaction).copy(meta, 16);
  numbers64(metaChecksum(meta)).copy(meta, 56);
  return meta;
}

function numbers32(...all: readonly number[]): Buffer {
  const bytes = Buffer.alloc(4 * all.length);
  for (const [index, one] of all.entries()) bytes.writeUInt32LE(one, 4 * index);
  return bytes;
}

function numbers64(...all: readonly (number | bigint)[]): Buffer {
  const bytes = Buffer.alloc(8 * all.length);
  for (const [index, one] of all.entries()) bytes.writeBigUInt64LE(BigInt(one), 8 * index);
  return bytes;
}
