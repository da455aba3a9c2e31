// image/publish/upload-disk.ts: how does a disk get into a page blob? Only what is not empty, several pieces at a time; cut off anywhere, the same call goes on.
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
  /** Sent now. */
  sentBytes: number;
  /** There from an earlier call, read back and found right. */
  foundBytes: number;
}

/** As much as one request may carry. */
const PIECE_BYTES = 4 << 20;
const AT_ONCE = 8;

/**
 * Ends with the blob holding the disk. What this call did not write itself it reads back: a half upload of an earlier one is
 * taken over only where its bytes are right. Throws `Refused` when the blob is something else.
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
    let lookedAtBytes = 0;
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
      lookedAtBytes += window.bytes;
      onWaiting?.('the upload of the disk', Math.floor((100 * lookedAtBytes) / disk.bytes));
    });
    await requireWhole(blob, disk, filled);
    return done;
  } finally {
    await file.close();
  }
}

const METADATA = { sha256: 'headstart_sha256', state: 'headstart_state' } as const;

/** Makes the blob, or takes over one that was begun for the same bytes. Gives what is in it. */
async function claim(blob: PageBlob, { bytes, sha256 }: DiskToUpload): Promise<PageRange[]> {
  if (bytes % PAGE_BYTES !== 0)
    throw new Refused(`a disk of ${bytes} bytes does not consist of whole pages`, 'image/bad-disk');
  const metadata = { [METADATA.sha256]: sha256, [METADATA.state]: 'uploading' };
  const before = await blob.inspect();
  if (!before) await blob.create({ bytes, metadata });
  const seen = before ?? (await blob.inspect());
  if (seen?.bytes === bytes && seen.metadata[METADATA.sha256] === sha256) return before ? blob.ranges() : [];
  throw new Refused(`${blob.url} is there already, and is not this disk`, 'image/other-blob');
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
  // All of them end before anybody is told: nothing is still being written when the file is closed.
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
      throw new Refused(`${disk.file} has become shorter than ${disk.bytes} bytes`, 'image/bad-disk');
    filled += bytesRead;
  }
  return piece;
}

/** What was never written reads as nothing, here and there. */
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

/** A look at the blob itself, not at what we believe to have sent. */
async function requireWhole(
  blob: PageBlob,
  { bytes, sha256 }: DiskToUpload,
  filled: readonly PageRange[],
): Promise<void> {
  const ranges = await blob.ranges();
  const [missing] = missingRanges(filled, ranges);
  if (missing)
    throw new TransientError(`${blob.url} has nothing at ${missing.offset} to ${endOf(missing)}, though it was sent`, {
      code: 'image/upload-incomplete',
    });
  await blob.setMetadata({ [METADATA.sha256]: sha256, [METADATA.state]: 'complete' });
  const seen = await blob.inspect();
  if (
    seen?.bytes !== bytes ||
    seen.metadata[METADATA.sha256] !== sha256 ||
    seen.metadata[METADATA.state] !== 'complete'
  )
    throw new TransientError(`${blob.url} was changed by somebody else`, { code: 'image/upload-incomplete' });
}

function sum(ranges: readonly PageRange[]): number {
  return ranges.reduce((total, { bytes }) => total + bytes, 0);
}
