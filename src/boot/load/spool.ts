// boot/load/spool.ts: makes a stream that can be read only once (a pipe) readable repeatedly: its start stays in memory, the rest
// goes to a temporary file without a name.
import { closeSync, mkdtempSync, openSync, readSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { UserError } from '../../base/errors.ts';
import type { InputLimits } from './input-limits.ts';

const CHUNK_BYTES = 1 << 18;

/** Reads no more of the stream than the furthest reader asks for. */
export function spooled(name: string, stream: Iterable<Uint8Array>, limits: InputLimits): () => Iterable<Uint8Array> {
  const spool = new Spool(name, limits, stream);
  return () => spool.read();
}

/** A program that is not a generator adds chunks itself. */
export class Spool {
  readonly #name: string;
  readonly #stream: Iterator<Uint8Array>;
  readonly #limits: InputLimits;
  readonly #inMemory: Uint8Array[] = [];
  #fd: number | undefined;
  #fileBytes = 0;

  constructor(name: string, limits: InputLimits, stream: Iterable<Uint8Array> = []) {
    this.#name = name;
    this.#stream = stream[Symbol.iterator]();
    this.#limits = limits;
  }

  *read(): Generator<Uint8Array> {
    let at = 0;
    let fileAt = 0;
    for (;;) {
      const kept = this.#inMemory[at];
      if (kept) {
        at++;
        yield kept;
      } else if (fileAt < this.#fileBytes) {
        const chunk = this.#readFile(fileAt);
        fileAt += chunk.length;
        yield chunk;
      } else {
        const { done, value } = this.#stream.next();
        if (done) return;
        if (this.add(value)) at++;
        else fileAt += value.length;
        yield value;
      }
    }
  }

  /** True if in memory. Once a chunk is in the file, all later ones are. */
  add(chunk: Uint8Array): boolean {
    if (this.#fd === undefined && this.#limits.takeMemory(chunk.length)) {
      this.#inMemory.push(chunk);
      return true;
    }
    try {
      this.#fd ??= namelessFile();
      for (let written = 0; written < chunk.length; ) {
        written += writeSync(this.#fd, chunk, written, chunk.length - written, this.#fileBytes + written);
      }
    } catch (error) {
      throw cannotKeep(this.#name, error);
    }
    this.#fileBytes += chunk.length;
    return false;
  }

  #readFile(at: number): Uint8Array {
    const buffer = Buffer.allocUnsafe(Math.min(CHUNK_BYTES, this.#fileBytes - at));
    const length = readSync(this.#fd!, buffer, 0, buffer.length, at);
    if (length === 0) throw cannotKeep(this.#name, new Error('the temporary file was shortened'));
    return buffer.subarray(0, length);
  }
}

/** The system frees it when the process ends, however it ends. */
function namelessFile(): number {
  const folder = mkdtempSync(join(tmpdir(), 'headstart-'));
  let fd: number | undefined;
  try {
    fd = openSync(join(folder, 'input'), 'wx+', 0o600);
    rmSync(folder, { recursive: true });
    return fd;
  } catch (error) {
    if (fd !== undefined) closeSync(fd);
    rmSync(folder, { recursive: true, force: true });
    throw error;
  }
}

function cannotKeep(name: string, cause: unknown): UserError {
  return new UserError(`cannot keep ${name} in a temporary file: ${(cause as Error).message}`, {
    code: 'boot/input-spool',
    next: 'save it as a file and pass that with -i, or set TMPDIR to a folder with more space',
    cause,
  });
}
