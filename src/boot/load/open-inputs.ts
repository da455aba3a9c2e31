// boot/load/open-inputs.ts: which inputs does `-i FILE|DIR|-` name? Opens files, folders, archives and standard input.
import { closeSync, type Dirent, fstatSync, openSync, readdirSync, readFileSync, readSync, statSync } from 'node:fs';
import { join, sep } from 'node:path';
import { constants, gunzipSync, zstdDecompressSync } from 'node:zlib';
import type { ParsedTarFileItem } from 'nanotar';
import { UserError } from '../../base/errors.ts';
import { readToEnd } from '../../base/read-to-end.ts';
import { whyUnreadable } from '../../base/why-unreadable.ts';
import { closeCutTar } from './cut-tar.ts';
import { HEAD_BYTES, type Input, memoryInput } from './input.ts';

/** Archives and compressed logs are unpacked in memory; the logs of one boot are far smaller than this. */
const MAX_UNPACKED_BYTES = 1 << 30;
const CHUNK_BYTES = 1 << 20;
const MAX_DEPTH = 12;

/** One folder or archive holds the inputs of one boot; an archive inside a folder is a separate group. */
export interface InputGroup {
  /** As the user typed it. */
  name: string;
  inputs: Input[];
  /** An unrecognised file is an error, unless it is in a folder: there it is skipped. */
  isFolder: boolean;
  /** One sentence for each file that could not be read completely. */
  problems: string[];
}

export async function openInputs(path: string, readStdin: () => Uint8Array): Promise<InputGroup[]> {
  if (path === '-') return [await unpack('standard input', memoryInput('standard input', readStdin()))];
  const stat = statOrExplain(path);
  if (stat.isDirectory()) {
    const problems: string[] = [];
    const opened = await Promise.all([...filesBelow(path, 0, problems)].map((file) => unpackOrReport(file, problems)));
    const groups = opened.filter((group) => group !== undefined);
    const loose = groups.filter((group) => !group.isFolder).flatMap((group) => group.inputs);
    const archives = groups.filter((group) => group.isFolder);
    if (loose.length === 0 && problems.length === 0 && archives.length > 0) return archives;
    return [{ name: path, inputs: loose, isFolder: true, problems }, ...archives];
  }
  // A FIFO or a process substitution has no size and can be read only once.
  return [await unpack(path, stat.isFile() ? fileInput(path) : memoryInput(path, readStream(path)))];
}

/** One bad file does not fail the whole folder: it is reported as a problem. */
async function unpackOrReport(file: string, problems: string[]): Promise<InputGroup | undefined> {
  try {
    const group = await unpack(file, fileInput(file));
    if (!group.isFolder) problems.push(...group.problems);
    return group;
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    problems.push(error.message);
    return undefined;
  }
}

function readStream(path: string): Uint8Array {
  try {
    const fd = openSync(path, 'r');
    try {
      return readToEnd(fd);
    } finally {
      closeSync(fd);
    }
  } catch (error) {
    throw unreadable(path, error);
  }
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
  return new UserError(`cannot read ${path || "''"}: ${whyUnreadable(error)}`, {
    code: 'boot/input-unreadable',
    next:
      code === 'EACCES'
        ? 'run this as a user who can read it, for example with sudo'
        : 'pass an existing file or folder with -i, or `-` for standard input',
    cause: error,
  });
}

/** Regular files in name order. Symbolic links are not followed: they could lead outside the folder. */
function* filesBelow(folder: string, depth: number, problems: string[]): Generator<string> {
  if (depth > MAX_DEPTH) {
    problems.push(`${folder} was skipped: it is more than ${MAX_DEPTH} folders deep`);
    return;
  }
  for (const entry of entriesOf(folder, depth, problems)) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) yield* filesBelow(path, depth + 1, problems);
    else if (entry.isFile()) yield path;
  }
}

function entriesOf(folder: string, depth: number, problems: string[]): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1));
  } catch (error) {
    const explained = unreadable(folder, error);
    if (depth === 0) throw explained;
    problems.push(explained.message);
    return [];
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
  const problems: string[] = [];
  const unpacked = isGzip ? gunzip(input, problems) : isZstd ? unzstd(input) : undefined;
  const plain = unpacked ? memoryInput(name, unpacked) : input;
  if (!isTar(plain.head)) return { name, inputs: [plain], isFolder: false, problems };
  const { parseTar } = await import('nanotar');
  let members: ParsedTarFileItem[];
  try {
    // Copy: the parser reads the whole buffer behind a view, and Node keeps small views in a shared pool.
    const archive = new Uint8Array(plain.bytes());
    const cutMember = closeCutTar(archive);
    if (cutMember !== undefined) problems.push(`${name} is truncated inside ${cutMember}: the rest is missing`);
    members = parseTar(archive) as ParsedTarFileItem[];
  } catch (error) {
    throw damaged(name, 'archive', error);
  }
  const inputs = members
    .filter((member) => member.type === 'file')
    .map((member) => memoryInput(`${name}${sep}${member.name.replace(/^\.\//, '')}`, member.data ?? new Uint8Array()));
  return { name, inputs, isFolder: true, problems };
}

function isTar(head: Uint8Array): boolean {
  return head.length >= 512 && Buffer.from(head.subarray(257, 262)).toString('latin1') === 'ustar';
}

const LIMIT = { maxOutputLength: MAX_UNPACKED_BYTES };

/** Reads a truncated file (interrupted download, full disk) up to where it ends. */
function gunzip(input: Input, problems: string[]): Buffer {
  const bytes = input.bytes();
  try {
    return gunzipSync(bytes, LIMIT);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'Z_BUF_ERROR') throw damaged(input.name, 'compressed file', error);
    const start = gunzipSync(bytes, { ...LIMIT, finishFlush: constants.Z_SYNC_FLUSH });
    if (start.length === 0) throw damaged(input.name, 'compressed file', error);
    problems.push(`${input.name} is truncated: only the part before the cut was read`);
    return start;
  }
}

function unzstd(input: Input): Buffer {
  const bytes = input.bytes();
  try {
    return zstdDecompressSync(bytes, LIMIT);
  } catch (error) {
    throw damaged(input.name, 'compressed file', error);
  }
}

function damaged(name: string, what: string, cause: unknown): UserError {
  return new UserError(`cannot unpack ${name}: the ${what} is damaged or too large (${(cause as Error).message})`, {
    code: 'boot/input-damaged',
    next: 'unpack it manually and pass the folder with -i',
    cause,
  });
}
