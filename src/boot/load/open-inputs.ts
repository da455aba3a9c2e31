// boot/load/open-inputs.ts: which inputs does `-i FILE|DIR|-` name? Opens files, folders, archives and standard input.
import { closeSync, constants, type Dirent, openSync, readdirSync, readSync, statSync } from 'node:fs';
import { join, sep } from 'node:path';
import { UserError } from '../../base/errors.ts';
import { NoWriter, openPipe } from '../../base/read-pipe.ts';
import { whyUnreadable } from '../../base/why-unreadable.ts';
import { type Input, memoryInput, streamInput } from './input.ts';
import { InputLimits } from './input-limits.ts';
import { openTar } from './open-tar.ts';
import { spooled } from './spool.ts';
import { isTar } from './tar-members.ts';
import { type PackFormat, packingOf, Unpackable, unpackBytes } from './unpack-bytes.ts';
import { isXz, unxz } from './unxz.ts';

const CHUNK_BYTES = 1 << 18;
const MAX_DEPTH = 12;

/** One folder or archive holds the inputs of one boot; an archive inside a folder is a separate group. */
export interface InputGroup {
  /** As the user typed it. */
  name: string;
  inputs: Input[];
  /** An unrecognised file is an error, unless it is in a folder: there it is skipped. */
  isFolder: boolean;
  /** One sentence for each file that could not be read completely. A file is read later: look here after that. */
  problems: string[];
}

export interface OpenInputsOptions {
  /** Shared by all inputs of one command. */
  limits?: InputLimits;
  /** Takes one sentence when a pipe sends nothing for a while. */
  onWait?: (text: string) => void;
  /** False if no source reads content that starts like this: then it is not unpacked to disk. */
  isReadable?: (start: Input) => boolean;
}

type OpenContext = Required<Pick<OpenInputsOptions, 'limits'>> & OpenInputsOptions;

/** Standard input: all of it, or piece by piece. */
export type StdinReader = () => Uint8Array | Iterable<Uint8Array>;

export async function openInputs(
  path: string,
  readStdin: StdinReader,
  options: OpenInputsOptions = {},
): Promise<InputGroup[]> {
  const opening = { ...options, limits: options.limits ?? new InputLimits() };
  if (path === '-') return [await unpack(STDIN, stdinInput(readStdin, opening.limits), opening)];
  const stat = statOrExplain(path);
  if (stat.isDirectory()) {
    const problems: string[] = [];
    const groups: InputGroup[] = [];
    for (const file of filesBelow(path, 0, problems)) {
      const group = await unpackOrReport(file, opening, problems);
      if (group) groups.push(group);
    }
    const loose = groups.filter((group) => !group.isFolder).flatMap((group) => group.inputs);
    const archives = groups.filter((group) => group.isFolder);
    if (loose.length === 0 && problems.length === 0 && archives.length > 0) return archives;
    return [{ name: path, inputs: loose, isFolder: true, problems }, ...archives];
  }
  // A file without a size may be a view of the kernel: /proc/kmsg gives each message only once.
  const canSeek = stat.isFile() && stat.size > 0;
  return [await unpack(path, canSeek ? fileInput(path) : pipeInput(path, opening), opening)];
}

const STDIN = 'standard input';

function stdinInput(readStdin: StdinReader, limits: InputLimits): Input {
  const content = readStdin();
  if (content instanceof Uint8Array) return memoryInput(STDIN, content);
  return streamInput(STDIN, spooled(STDIN, content, limits));
}

/** A FIFO, a process substitution or a device has no size and can be read only once. */
function pipeInput(path: string, { limits, onWait }: OpenContext): Input {
  const pipe = (): Iterable<Uint8Array> => {
    try {
      return explained(path, openPipe(path, { onWait: () => onWait?.(`waiting for data from ${path}`) }));
    } catch (error) {
      throw unreadable(path, error);
    }
  };
  return streamInput(path, spooled(path, pipe(), limits));
}

function* explained(path: string, chunks: Iterable<Uint8Array>): Generator<Uint8Array> {
  try {
    yield* chunks;
  } catch (error) {
    if (!(error instanceof NoWriter)) throw unreadable(path, error);
    throw new UserError(`cannot read ${path}: it is a named pipe, and ${error.message}`, {
      code: 'boot/input-unreadable',
      next: 'start the program that writes to it, then run this again',
      cause: error,
    });
  }
}

/** One bad file does not fail the whole folder: it is reported as a problem. */
async function unpackOrReport(file: string, opening: OpenContext, problems: string[]): Promise<InputGroup | undefined> {
  try {
    return { ...(await unpack(file, fileInput(file), opening, problems)), problems: [] };
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    problems.push(error.message);
    return undefined;
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
  return streamInput(path, () => readChunks(path));
}

function* readChunks(path: string): Generator<Uint8Array> {
  let fd: number | undefined;
  try {
    // Without O_NONBLOCK, /proc/kmsg waits for the next message of the kernel.
    fd = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
    for (;;) {
      const buffer = Buffer.allocUnsafe(CHUNK_BYTES);
      const length = readSync(fd, buffer, 0, CHUNK_BYTES, null);
      if (length === 0) return;
      yield buffer.subarray(0, length);
    }
  } catch (error) {
    const { code, syscall } = error as NodeJS.ErrnoException;
    if (code === 'EAGAIN') return;
    throw syscall === undefined ? error : unreadable(path, error);
  } finally {
    if (fd !== undefined) closeSync(fd);
  }
}

async function unpack(name: string, packed: Input, opening: OpenContext, problems: string[] = []): Promise<InputGroup> {
  const { limits, isReadable } = opening;
  const packing = packingOf(packed.head);
  let plain = packed;
  if (packing) plain = streamInput(name, () => unpacked(name, packing, packed, opening, problems));
  else if (isXz(packed.head)) plain = await unxz(packed, { limits, problems, ...(isReadable && { isReadable }) });
  if (!isTar(plain.head)) return { name, inputs: [plain], isFolder: false, problems };
  return { name, inputs: openTar(plain, { limits, problems, sep }), isFolder: true, problems };
}

/** Reads a truncated or damaged file (interrupted download, full disk) up to where it ends. */
function* unpacked(
  name: string,
  packing: PackFormat,
  packed: Input,
  { limits }: OpenContext,
  problems: string[],
): Generator<Uint8Array> {
  let hasData = false;
  try {
    for (const chunk of unpackBytes(packing, packed.chunks())) {
      limits.countUnpacked(name, chunk.length);
      hasData = true;
      yield chunk;
    }
  } catch (error) {
    if (!(error instanceof Unpackable)) throw error;
    if (!hasData) throw damaged(name, error);
    const problem = error.isCut
      ? `${name} is truncated: only the part before the cut was read`
      : `${name} is damaged (${error.message}): only the part before that was read`;
    if (!problems.includes(problem)) problems.push(problem);
  }
}

function damaged(name: string, cause: Unpackable): UserError {
  return new UserError(`cannot unpack ${name}: the compressed file is damaged (${cause.message})`, {
    code: 'boot/input-damaged',
    next: 'unpack it manually and pass the folder with -i',
    cause,
  });
}
