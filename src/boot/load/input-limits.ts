// boot/load/input-limits.ts: how much may all inputs of one command hold in memory, and how much may be unpacked from them?
import { UserError } from '../../base/errors.ts';

const MEMORY_BYTES = 32 << 20;
/** Every pass over a compressed file counts. */
const UNPACKED_BYTES = 16 * 2 ** 30;

export class InputLimits {
  #memoryBytes: number;
  #unpackedBytes: number;

  constructor({ memoryBytes = MEMORY_BYTES, unpackedBytes = UNPACKED_BYTES } = {}) {
    this.#memoryBytes = memoryBytes;
    this.#unpackedBytes = unpackedBytes;
  }

  /** False if the bytes must not be kept in memory. */
  takeMemory(bytes: number): boolean {
    if (bytes > this.#memoryBytes) return false;
    this.#memoryBytes -= bytes;
    return true;
  }

  /** Throws a UserError when all inputs together unpack to too much. */
  countUnpacked(name: string, bytes: number): void {
    this.#unpackedBytes -= bytes;
    if (this.#unpackedBytes < 0) throw tooLarge(name);
  }
}

function tooLarge(name: string): UserError {
  return new UserError(`cannot unpack ${name}: the inputs of this command unpack to more than 16 GiB`, {
    code: 'boot/input-too-large',
    next: 'unpack it and pass only the logs of the boot in question',
  });
}
