// image/build/store/bolt/page.ts: how are the pages of a bolt file laid out? All numbers are little-endian.
//
// page     id u64 · flags u16 · count u16 · overflow u32 (number of following pages that belong to it), then `count` elements, then their bytes
// leaf     flags u32 (1: a bucket) · position u32 (from the element) · key size u32 · value size u32
// branch   position u32 · key size u32 · page u64
// bucket   root page u64 · sequence u64; if root is 0, its only leaf follows directly ("inline")
// meta     magic u32 · version u32 · page size u32 · flags u32 · root bucket · freelist page u64 · pages u64 · transaction u64 · checksum u64

export const PAGE_HEADER = 16;
export const ELEMENT = 16;
export const BUCKET_HEADER = 16;
export const META_BYTES = 64;

export const BRANCH = 0x01;
export const LEAF = 0x02;
export const META = 0x04;
export const FREELIST = 0x10;
export const BUCKET_FLAG = 0x01;

export const MAGIC = 0xed0cdaed;
export const VERSION = 2;
/** The sizes that bolt tries if the first meta page is unreadable. */
export const PAGE_SIZES: readonly number[] = Array.from({ length: 8 }, (_, index) => 512 << index);

const FNV_OFFSET = 0xcbf29ce484222325n;
const FNV_PRIME = 0x100000001b3n;

/** FNV-1a, 64 bits. */
export function metaChecksum(meta: Uint8Array): bigint {
  let hash = FNV_OFFSET;
  for (const byte of meta.subarray(0, META_BYTES - 8)) hash = BigInt.asUintN(64, (hash ^ BigInt(byte)) * FNV_PRIME);
  return hash;
}
