// boot/load/unpack-bytes.ts: unpacks gzip and zstd chunk by chunk, so that a small file that unpacks to gigabytes needs little memory.
import { constants, createGunzip, createZstdDecompress, type Gunzip, type ZstdDecompress } from 'node:zlib';

export type PackFormat = 'gzip' | 'zstd';

export function packingOf(head: Uint8Array): PackFormat | undefined {
  if (head[0] === 0x1f && head[1] === 0x8b) return 'gzip';
  return head[0] === 0x28 && head[1] === 0xb5 && head[2] === 0x2f && head[3] === 0xfd ? 'zstd' : undefined;
}

/** Thrown after the readable part was yielded. */
export class Unpackable extends Error {
  readonly isCut: boolean;
  constructor(message: string, isCut: boolean, cause?: unknown) {
    super(message, { cause });
    this.isCut = isCut;
  }
}

/** How much is unpacked at once: gzip packs at most 1:1032, a block of zstd about 1:32000. */
const STEP_BYTES: Readonly<Record<PackFormat, number>> = { gzip: 1 << 14, zstd: 1 << 11 };

export function* unpackBytes(packing: PackFormat, packed: Iterable<Uint8Array>): Generator<Uint8Array> {
  let engine = new Engine(packing);
  try {
    for (const chunk of packed) {
      for (let from = 0; from < chunk.length; ) {
        const { bytes, taken } = engine.push(chunk.subarray(from, from + STEP_BYTES[packing]));
        from += taken;
        if (bytes.length > 0) yield bytes;
        if (!engine.hasEnded) continue;
        engine.close(); // the next frame of the file
        engine = new Engine(packing);
      }
    }
    engine.finish();
  } finally {
    engine.close();
  }
}

/**
 * Node has no public function that unpacks a part synchronously. `_processChunk` does, and npm's own tar depends on it
 * (minizlib). It closes the handle after every call, so the handle's close is disabled meanwhile.
 */
interface Internals {
  _handle: { close(): void };
  _processChunk(chunk: Uint8Array, flush: number): Buffer | undefined;
  /** How many bytes of the chunk the last call took. */
  bytesWritten: number;
}

class Engine {
  readonly #packing: PackFormat;
  readonly #stream: (Gunzip | ZstdDecompress) & Internals;
  #isFresh = true;
  hasEnded = false;

  constructor(packing: PackFormat) {
    this.#packing = packing;
    const stream = packing === 'gzip' ? createGunzip() : createZstdDecompress();
    this.#stream = stream as unknown as (Gunzip | ZstdDecompress) & Internals;
  }

  push(chunk: Uint8Array): { bytes: Uint8Array; taken: number } {
    const bytes = this.#process(chunk, constants.Z_NO_FLUSH);
    this.#isFresh = false;
    // gzip continues with the next member by itself; zstd stops at the end of a frame.
    const taken = this.#packing === 'gzip' ? chunk.length : this.#stream.bytesWritten;
    this.hasEnded = taken < chunk.length;
    if (taken === 0 && bytes.length === 0) throw new Unpackable('data after its end', false);
    return { bytes, taken };
  }

  /** Throws if the input ended too early. */
  finish(): void {
    if (this.#isFresh) return;
    this.#process(new Uint8Array(), this.#packing === 'gzip' ? constants.Z_FINISH : constants.ZSTD_e_end);
  }

  close(): void {
    this.#stream.close();
  }

  #process(chunk: Uint8Array, flush: number): Uint8Array {
    const stream = this.#stream;
    const { _handle: handle, close } = stream;
    const closeHandle = handle.close;
    handle.close = () => {};
    stream.close = () => {};
    try {
      // Copy: the next call writes into the same buffer.
      return new Uint8Array(stream._processChunk(chunk, flush) ?? []);
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException;
      throw new Unpackable(message, code === 'Z_BUF_ERROR', error);
    } finally {
      stream._handle = handle;
      handle.close = closeHandle;
      stream.close = close;
      // Every call adds a listener, and a failed call emits its error a second time later.
      stream.removeAllListeners('error').on('error', () => {});
    }
  }
}
