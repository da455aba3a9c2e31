// boot/open-inputs.ts: which inputs does the user mean by `-i FILE|DIR|-`? Files, folders, archives and standard input, opened.
import { closeSync, fstatSync, openSync, readdirSync, readFileSync, readSync, statSync } from 'node:fs';
import { join, sep } from 'node:path';
import { gunzipSync, zstdDecompressSync } from 'node:zlib';
import type { ParsedTarFileItem } from 'nanotar';
import { UserError } from '../base/errors.ts';
import { HEAD_BYTES, type Input, memoryInput } from './input.ts';

/** An archive or a compressed log is unpacked in memory; what is larger than this is not a boot's worth of logs. */
const MAX_UNPACKED_BYTES = 1 << 30;
const CHUNK_BYTES = 1 << 20;
const MAX_DEPTH = 12;

/** What belongs to one boot lies in one folder or archive; an archive inside a folder is a boot of its own. */
export interface InputGroup {
  /** As the user wrote it. */
  name: string;
  inputs: Input[];
  /** A single file that cannot be recognised is an error; in a folder it is passed over. */
  isFolder: boolean;
}

export async function openInputs(path: string, readStdin: () => Uint8Array): Promise<InputGroup[]> {
  if (path === '-') return [await unpack('standard input', memoryInput('standard input', readStdin()))];
  const stat = statOrExplain(path);
  if (stat.isDirectory()) {
    const opened = await Promise.all([...filesBelow(path, 0)].map((file) => unpack(file, fileInput(file))));
    const loose = opened.filter((group) => !group.isFolder).flatMap((group) => group.inputs);
    const archives = opened.filter((group) => group.isFolder);
    return loose.length > 0 ? [{ name: path, inputs: loose, isFolder: true }, ...archives] : archives;
  }
  // A FIFO or a process substitution has no size and can be read once.
  return [await unpack(path, stat.isFile() ? fileInput(path) : memoryInput(path, readFileSync(path)))];
}

function statOrExplain(path: string) {
  try {
    return statSync(path);
  } catch (error) {
    throw unreadable(path, error);
  }
}

function unreadable(path: string, error: unknown): UserError {
  const { code } = error as NodeJS.ErrnoException;
  const why = code === 'ENOENT' ? 'it does not exist' : code === 'EACCES' ? 'permission denied' : String(code ?? error);
  return new UserError(`cannot read ${path}: ${why}`, {
    code: 'boot/input-unreadable',
    next: 'give an existing file or folder with -i, or `-` for standard input',
    cause: error,
  });
}

/** Regular files in name order. Links are not followed: a folder of logs must not lead out of itself. */
function* filesBelow(folder: string, depth: number): Generator<string> {
  if (depth > MAX_DEPTH) return;
  const entries = readdirSync(folder, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1));
  for (const entry of entries) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) yield* filesBelow(path, depth + 1);
    else if (entry.isFile()) yield path;
  }
}

function fileInput(path: string): Input {
  let head: Uint8Array | undefined;
  return {
    name: path,
    get head() {
      head ??= firstChunk(path);
      return head;
    },
    chunks: () => readChunks(path, CHUNK_BYTES),
    bytes: () => {
      try {
        return readFileSync(path);
      } catch (error) {
        throw unreadable(path, error);
      }
    },
  };
}

function firstChunk(path: string): Uint8Array {
  for (const chunk of readChunks(path, HEAD_BYTES)) return chunk;
  return new Uint8Array();
}

function* readChunks(path: string, size: number): Generator<Uint8Array> {
  let fd: number;
  try {
    fd = openSync(path, 'r');
  } catch (error) {
    throw unreadable(path, error);
  }
  try {
    if (!fstatSync(fd).isFile()) return;
    for (;;) {
      const buffer = Buffer.allocUnsafe(size);
      const length = readSync(fd, buffer, 0, size, null);
      if (length === 0) return;
      yield buffer.subarray(0, length);
    }
  } finally {
    closeSync(fd);
  }
}

async function unpack(name: string, input: Input): Promise<InputGroup> {
  const { head } = input;
  const isGzip = head[0] === 0x1f && head[1] === 0x8b;
  const isZstd = head[0] === 0x28 && head[1] === 0xb5 && head[2] === 0x2f && head[3] === 0xfd;
  const plain =
    isGzip || isZstd ? memoryInput(name, decompress(input, isGzip ? gunzipSync : zstdDecompressSync)) : input;
  if (!isTar(plain.head)) return { name, inputs: [plain], isFolder: false };
  const { parseTar } = await import('nanotar');
  let members: ParsedTarFileItem[];
  try {
    // A copy: the parser looks at the whole buffer behind a view, and Node keeps small ones in a shared pool.
    members = parseTar(new Uint8Array(plain.bytes())) as ParsedTarFileItem[];
  } catch (error) {
    throw damaged(name, 'archive', error);
  }
  const inputs = members
    .filter((member) => member.type === 'file')
    .map((member) => memoryInput(`${name}${sep}${member.name.replace(/^\.\//, '')}`, member.data ?? new Uint8Array()));
  return { name, inputs, isFolder: true };
}

function isTar(head: Uint8Array): boolean {
  return head.length >= 512 && Buffer.from(head.subarray(257, 262)).toString('latin1') === 'ustar';
}

function decompress(
  input: Input,
  inflate: (bytes: Uint8Array, options: { maxOutputLength: number }) => Buffer,
): Buffer {
  try {
    return inflate(input.bytes(), { maxOutputLength: MAX_UNPACKED_BYTES });
  } catch (error) {
    if (error instanceof UserError) throw error;
    throw damaged(input.name, 'compressed file', error);
  }
}

function damaged(name: string, what: string, cause: unknown): UserError {
  return new UserError(`cannot unpack ${name}: the ${what} is damaged or too large (${(cause as Error).message})`, {
    code: 'boot/input-damaged',
    next: 'unpack it by hand and give the folder with -i',
    cause,
  });
}
