// image/build/disk/sparse-copy.ts: how is a large, mostly empty file hashed and copied? Holes are neither read nor written.
import { createHash, type Hash } from 'node:crypto';
import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import type { FileSum } from '../../../host/file-sum.ts';
import type { DataRange } from './data-ranges.ts';

/** Part of the definition of a sparse sum: changing it changes all sums. */
const PART_BYTES = 64 << 10;
const READ_BYTES = 4 << 20;
const ZEROS = Buffer.alloc(READ_BYTES);

/** `ranges`: the parts that may contain data; everything else is a hole. */
export interface SparseFile {
  file: string;
  ranges: readonly DataRange[];
  signal?: AbortSignal | undefined;
}

/** A hash over the size and every non-empty part with its offset. */
export async function sumSparse(source: SparseFile): Promise<string> {
  const hash = createHash('sha256');
  const size = await eachPart(source, (bytes, at) => addPart(hash, bytes, at));
  return hash.update(`${size}`).digest('hex');
}

/**
 * Copies into a new file after a hole of `startBytes`. Returns the sparse sum of the copied bytes, which stays valid even if the source
 * changes later.
 */
export async function copySparse(source: SparseFile, to: string, startBytes = 0): Promise<string> {
  const hash = createHash('sha256');
  const { O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW } = constants;
  const target = await open(to, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600);
  try {
    const size = await eachPart(source, async (bytes, at) => {
      addPart(hash, bytes, at);
      await writeAll(target, bytes, startBytes + at);
    });
    await target.truncate(startBytes + size);
    return hash.update(`${size}`).digest('hex');
  } finally {
    await target.close();
  }
}

/** The plain sha256 including holes, as `sha256sum` computes it. */
export async function sumWhole(source: SparseFile): Promise<FileSum> {
  const hash = createHash('sha256');
  let done = 0;
  const addZeros = (until: number) => {
    for (; done < until; done += Math.min(ZEROS.length, until - done)) {
      hash.update(ZEROS.subarray(0, Math.min(ZEROS.length, until - done)));
    }
  };
  const size = await eachPart(source, (bytes, at) => {
    addZeros(at);
    hash.update(bytes);
    done = at + bytes.length;
  });
  addZeros(size);
  return { bytes: size, sha256: hash.digest('hex') };
}

function addPart(hash: Hash, bytes: Buffer, at: number): void {
  for (let offset = 0; offset < bytes.length; offset += PART_BYTES) {
    const part = bytes.subarray(offset, offset + PART_BYTES);
    hash.update(`${at + offset} ${part.length}\n`).update(part);
  }
}

/** `onRun` gets adjacent non-empty parts, in order. Returns the size of the file. */
async function eachPart(
  { file, ranges, signal }: SparseFile,
  onRun: (bytes: Buffer, at: number) => Promise<void> | void,
): Promise<number> {
  const source = await open(file, constants.O_RDONLY | constants.O_NOFOLLOW);
  try {
    const { size } = await source.stat();
    const buffer = Buffer.alloc(READ_BYTES);
    for (const { start, end } of wholeParts(ranges, size)) {
      for (let at = start; at < end; at += READ_BYTES) {
        signal?.throwIfAborted();
        const bytes = buffer.subarray(0, Math.min(READ_BYTES, end - at));
        await readAll(source, bytes, at);
        for (const [from, to] of filledRuns(bytes)) await onRun(bytes.subarray(from, to), at + from);
      }
    }
    return size;
  } finally {
    await source.close();
  }
}

/** Aligns ranges to parts, so that the sum does not depend on how the file is stored. */
function wholeParts(ranges: readonly DataRange[], size: number): DataRange[] {
  const whole: DataRange[] = [];
  for (const range of ranges) {
    const start = Math.floor(range.start / PART_BYTES) * PART_BYTES;
    const end = Math.min(size, Math.ceil(range.end / PART_BYTES) * PART_BYTES);
    const last = whole.at(-1);
    if (last && start <= last.end) last.end = Math.max(last.end, end);
    else if (start < end) whole.push({ start, end });
  }
  return whole;
}

function* filledRuns(bytes: Buffer): Generator<[start: number, end: number]> {
  let start: number | undefined;
  for (let at = 0; at < bytes.length; at += PART_BYTES) {
    const part = bytes.subarray(at, at + PART_BYTES);
    if (part.equals(ZEROS.subarray(0, part.length))) {
      if (start !== undefined) yield [start, at];
      start = undefined;
    } else start ??= at;
  }
  if (start !== undefined) yield [start, bytes.length];
}

async function readAll(source: FileHandle, bytes: Buffer, at: number): Promise<void> {
  for (let done = 0; done < bytes.length; ) {
    const { bytesRead } = await source.read(bytes, done, bytes.length - done, at + done);
    if (bytesRead === 0) throw new Error('the file became shorter while it was read');
    done += bytesRead;
  }
}

async function writeAll(target: FileHandle, bytes: Buffer, at: number): Promise<void> {
  for (let written = 0; written < bytes.length; ) {
    const { bytesWritten } = await target.write(bytes, written, bytes.length - written, at + written);
    written += bytesWritten;
  }
}
