// image/publish/upload-disk.ts: how is a disk uploaded to a page blob? Skips empty parts, sends several pieces in parallel, and can continue after an interruption.
import { type FileHandle, open } from 'node:fs/promises';
import type { CallOptions } from '../../base/call-options.ts';
import { TransientError } from '../../base/errors.ts';
import { Refused } from '../../base/failures.ts';
import type { PageBlob } from './page-blob.ts';
import { byPiece, endOf, filledRanges, missingRanges, PAGE_BYTES, type PageRange } from './pages.ts';

export interface DiskToUpload {
  file: string;
  bytes: number;
  sha256: string;
}

export interface UploadResult {
  /** Sent by this call. */
  sentBytes: number;
  /** Sent by an earlier call; read back and correct. */
  foundBytes: number;
}

/** The maximum of one request. */
const PIECE_BYTES = 4 << 20;
const AT_ONCE = 8;

/**
 * Returns when the blob contains the disk. Reads back the bytes that an earlier call sent, and sends wrong ones again.
 * Throws `Refused` if the blob is another disk.
 */
export async function uploadDisk(
  blob: PageBlob,
  disk: DiskToUpload,
  { signal, onWaiting }: CallOptions = {},
): Promise<UploadResult> {
  const there = byPiece(await claim(blob, disk), PIECE_BYTES);
  const file = await open(disk.file, 'r');
  try {
    const done: UploadResult = { sentBytes: 0, foundBytes: 0 };
    const filled: PageRange[] = [];
    let checkedBytes = 0;
    await eachPiece(disk.bytes, signal, async (window) => {
      const piece = await readPiece(file, window, disk);
      const wanted = filledRanges(piece, window.offset);
      filled.push(...wanted);
      const present = there.get(window.offset / PIECE_BYTES) ?? [];
      if (present.length > 0 && (await isRight(blob, piece, window, present))) {
        done.foundBytes += sum(wanted);
      } else {
        for (const stray of missingRanges(present, wanted)) await blob.clear(stray);
        for (const { offset, bytes } of wanted) {
          signal?.throwIfAborted();
          await blob.write(offset, piece.subarray(offset - window.offset, offset - window.offset + bytes));
          done.sentBytes += bytes;
        }
      }
      checkedBytes += window.bytes;
      onWaiting?.('the upload of the disk', Math.floor((100 * checkedBytes) / disk.bytes));
    });
    await requireWhole(blob, disk, filled);
    return done;
  } finally {
    await file.close();
  }
}

const METADATA = { sha256: 'headstart_sha256', state: 'headstart_state' } as const;

/** Creates the blob, or continues one that was started for the same bytes. Returns the ranges it contains. */
async function claim(blob: PageBlob, { bytes, sha256 }: DiskToUpload): Promise<PageRange[]> {
  if (bytes % PAGE_BYTES !== 0)
    throw new Refused(`a disk of ${bytes} bytes is not a multiple of ${PAGE_BYTES}`, 'image/bad-disk');
  const metadata = { [METADATA.sha256]: sha256, [METADATA.state]: 'uploading' };
  const before = await blob.inspect();
  if (!before) await blob.create({ bytes, metadata });
  const seen = before ?? (await blob.inspect());
  if (seen?.bytes === bytes && seen.metadata[METADATA.sha256] === sha256) return before ? blob.ranges() : [];
  throw new Refused(`${blob.url} already exists and is another disk`, 'image/other-blob');
}

async function eachPiece(
  bytes: number,
  signal: AbortSignal | undefined,
  work: (window: PageRange) => Promise<void>,
): Promise<void> {
  let next = 0;
  let failed = false;
  const worker = async () => {
    while (next < bytes && !failed) {
      signal?.throwIfAborted();
      const offset = next;
      next += PIECE_BYTES;
      try {
        await work({ offset, bytes: Math.min(PIECE_BYTES, bytes - offset) });
      } catch (error) {
        failed = true;
        throw error;
      }
    }
  };
  // Wait for all workers before throwing, so that none still reads the file when it is closed.
  const ends = await Promise.allSettled(Array.from({ length: AT_ONCE }, worker));
  signal?.throwIfAborted();
  const failure = ends.find((end) => end.status === 'rejected');
  if (failure) throw failure.reason;
}

async function readPiece(file: FileHandle, { offset, bytes }: PageRange, disk: DiskToUpload): Promise<Buffer> {
  const piece = Buffer.alloc(bytes);
  for (let filled = 0; filled < bytes; ) {
    const { bytesRead } = await file.read(piece, filled, bytes - filled, offset + filled);
    if (bytesRead === 0)
      throw new Refused(`${disk.file} is shorter than its recorded ${disk.bytes} bytes`, 'image/bad-disk');
    filled += bytesRead;
  }
  return piece;
}

/** Bytes that were never written read as zeros. */
async function isRight(
  blob: PageBlob,
  piece: Buffer,
  window: PageRange,
  present: readonly PageRange[],
): Promise<boolean> {
  const seen = Buffer.alloc(piece.length);
  for (const range of present) (await blob.read(range)).copy(seen, range.offset - window.offset);
  return seen.equals(piece);
}

/** Reads the blob again instead of trusting what was sent. */
async function requireWhole(
  blob: PageBlob,
  { bytes, sha256 }: DiskToUpload,
  filled: readonly PageRange[],
): Promise<void> {
  const ranges = await blob.ranges();
  const [missing] = missingRanges(filled, ranges);
  if (missing)
    throw new TransientError(`${blob.url} lacks bytes ${missing.offset} to ${endOf(missing)}, which were sent`, {
      code: 'image/upload-incomplete',
    });
  await blob.setMetadata({ [METADATA.sha256]: sha256, [METADATA.state]: 'complete' });
  const seen = await blob.inspect();
  if (
    seen?.bytes !== bytes ||
    seen.metadata[METADATA.sha256] !== sha256 ||
    seen.metadata[METADATA.state] !== 'complete'
  )
    throw new TransientError(`another process changed ${blob.url}`, { code: 'image/upload-incomplete' });
}

function sum(ranges: readonly PageRange[]): number {
  return ranges.reduce((total, { bytes }) => total + bytes, 0);
}
