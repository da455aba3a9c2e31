// image/build/disk/put-files.ts: how are files written to an unmounted ext4 file system? With debugfs: no VM, no root rights, no loop device.
import { mkdirSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import type { RunCommand } from '../../../base/command.ts';
import { UserError } from '../../../base/errors.ts';
import type { ToolArgv } from '../../../host/required-tools.ts';
import { killedWithParent } from '../../../host/run-tool.ts';
import { type Ext4Place, onPlace } from './ext4-place.ts';

/** Paths are relative to the root of the file system. The default owner is root. */
export type DiskFile = {
  path: string;
  uid?: number;
  gid?: number;
  /** The default is the epoch of the image. */
  mtimeSec?: number;
  xattrs?: readonly Xattr[];
} & (
  | { mode: number; bytes: Uint8Array | string }
  /** Path of a local file with the content. */
  | { mode: number; from: string }
  /** Target of a symbolic link. */
  | { to: string }
  | { mode: number; isFolder: true }
  | { mode: number; device: { kind: 'c' | 'b'; major: number; minor: number } }
);

export interface Xattr {
  name: string;
  value: Uint8Array;
}

export interface PutDeps {
  run: RunCommand;
  folder: string;
  /** The time of everything that is written. */
  epochSec: number;
  signal?: AbortSignal | undefined;
}

/** Replaces existing files. Throws unless all files exist afterwards and the file system is clean. */
export async function putFiles(disk: Ext4Place, files: readonly DiskFile[], deps: PutDeps): Promise<void> {
  checkFolder(deps.folder);
  for (const file of files) checkNames(file);
  mkdirSync(deps.folder, { recursive: true, mode: 0o700 });
  const all = withFolders(files);
  const before = await statAll(disk, all, deps);
  const lines = all.flatMap((file, index) =>
    commandsFor(file, before[index], join(deps.folder, `file-${index}`), deps),
  );
  await debugfs(disk, lines, deps, ['-w']);
  // Exit code 1 means that e2fsck corrected something: only the counts, which debugfs does not update.
  await tool(onPlace(disk, deps.epochSec, ['e2fsck', '-f', '-p']), deps, [0, 1]);
  const after = await statAll(disk, all, deps);
  for (const [index, file] of all.entries()) expectThere(file, after[index]);
}

interface Folder {
  path: string;
  /** Created only if it does not exist. */
  isAbove: true;
}
type Entry = DiskFile | Folder;

/** Parents first, each once. */
function withFolders(files: readonly DiskFile[]): Entry[] {
  const given = new Set(files.map(({ path }) => path));
  const above = new Set<string>();
  for (const { path } of files) {
    for (let folder = dirname(path); folder !== '.'; folder = dirname(folder)) {
      if (!given.has(folder)) above.add(folder);
    }
  }
  const entries: Entry[] = [...[...above].map((path) => ({ path, isAbove: true }) as const), ...files];
  return entries.sort((a, b) => (a.path < b.path ? -1 : 1)); // a folder sorts before its content
}

function checkFolder(folder: string): void {
  if (isQuotable(folder)) return;
  throw new UserError(`${JSON.stringify(folder)} contains a character that cannot be passed to debugfs`, {
    code: 'image/bad-folder',
    kept: 'No image was built.',
    next: 'choose a folder without quotes in its path with --out or --cache',
  });
}

/** debugfs accepts any quoted word without quotes and line breaks. Names come from archives and layers of third parties. */
function checkNames(file: DiskFile): void {
  const { path, xattrs = [] } = file;
  const words = [path, 'to' in file ? file.to : '', 'from' in file ? file.from : ''];
  const isPath = path.split('/').every((part) => part !== '' && part !== '.' && part !== '..' && part.length < 256);
  const areAttributes = xattrs.every(({ name }) => /^[a-z]+\.[A-Za-z0-9._-]+$/.test(name));
  if (isPath && words.every(isQuotable) && areAttributes) return;
  throw new UserError(`${JSON.stringify(path)} has a name or attributes that cannot be written to an image`, {
    code: 'image/bad-name',
    kept: 'No image was built.',
    next: 'leave it out, or rename it at its source',
    exitCode: 1,
  });
}

const isQuotable = (word: string) => !/["\u0000-\u001f\u007f]/.test(word);

function commandsFor(file: Entry, before: Stat | undefined, scratch: string, { epochSec }: PutDeps): string[] {
  const place = `"/${file.path}"`;
  if ('isAbove' in file) return before === undefined ? [`mkdir ${place}`] : [];
  const owner = [`sif ${place} uid ${file.uid ?? 0}`, `sif ${place} gid ${file.gid ?? 0}`];
  const mode = (type: number, bits: number) => `sif ${place} mode 0${(type | bits).toString(8)}`;
  const attributes = (file.xattrs ?? []).map(({ name, value }, index) => {
    const from = `${scratch}-xattr-${index}`;
    writeFileSync(from, value, { mode: 0o600 });
    return `ea_set -f "${from}" ${place} ${name}`;
  });
  const time = file.mtimeSec === undefined ? [] : [`sif ${place} mtime @${file.mtimeSec}`];
  const rest = [...owner, ...attributes, ...time];
  if ('isFolder' in file) {
    const made = before === undefined ? [`mkdir ${place}`] : [];
    return [...made, mode(0o040000, file.mode), ...rest];
  }
  const removal = before === undefined ? [] : [`rm ${place}`];
  if ('to' in file) return [...removal, `symlink ${place} "${file.to}"`, ...rest];
  if ('device' in file) {
    const { kind, major, minor } = file.device;
    const type = kind === 'c' ? 0o020000 : 0o060000;
    const times = ['atime', 'ctime', 'mtime'].map((field) => `sif ${place} ${field} @${epochSec}`);
    // mknod is the only debugfs command that takes a name instead of a path.
    const { dir, base } = posix.parse(`/${file.path}`);
    const made = [`cd "${dir}"`, `mknod "${base}" ${kind} ${major} ${minor}`, 'cd /'];
    return [...removal, ...made, mode(type, file.mode), ...times, ...rest];
  }
  const source = 'from' in file ? file.from : scratch;
  if ('bytes' in file) writeFileSync(scratch, file.bytes, { mode: 0o600 });
  return [...removal, `write "${source}" ${place}`, mode(0o100000, file.mode), ...rest];
}

interface Stat {
  type: string;
  mode: number;
  uid: number;
  gid: number;
  bytes: number;
  linkTo: string | undefined;
}

/** Undefined if the file does not exist. */
async function statAll(disk: Ext4Place, files: readonly Entry[], deps: PutDeps): Promise<(Stat | undefined)[]> {
  const said = await debugfs(
    disk,
    files.map(({ path }) => `stat "/${path}"`),
    deps,
    [],
    ['File not found by ext2_lookup'],
  );
  const answers = said.split(/^debugfs: stat .*$/m).slice(1);
  if (answers.length !== files.length) throw new Error('debugfs did not report every file');
  return answers.map(parseStat);
}

function parseStat(text: string): Stat | undefined {
  const [, type, mode] = /^Inode: \d+ +Type: (.+?) +Mode: +([0-7]+) /m.exec(text) ?? [];
  const [, uid, gid, bytes] = /^User: +(\d+) +Group: +(\d+) .*?(?:Size: (\d+))?$/m.exec(text) ?? [];
  if (type === undefined || mode === undefined) return undefined;
  const linkTo = /^Fast link dest: "(.*)"$/m.exec(text)?.[1];
  return { type, mode: Number.parseInt(mode, 8), uid: Number(uid), gid: Number(gid), bytes: Number(bytes), linkTo };
}

function expectThere(file: Entry, found: Stat | undefined): void {
  const problem = found === undefined ? 'is missing' : problemOf(file, found);
  if (problem !== undefined) throw new Error(`/${file.path} ${problem} after it was written to the file system`);
}

const LONGEST_FAST_LINK = 59;

function problemOf(file: Entry, found: Stat): string | undefined {
  if ('isAbove' in file) return found.type === 'directory' ? undefined : `is a ${found.type}, not a folder`;
  const type = typeOf(file);
  if (found.type !== type) return `is a ${found.type}, not a ${type}`;
  if (found.uid !== (file.uid ?? 0) || found.gid !== (file.gid ?? 0)) return 'has the wrong owner';
  if ('to' in file) {
    const isFast = Buffer.byteLength(file.to) <= LONGEST_FAST_LINK;
    return isFast && found.linkTo !== file.to ? `links to ${found.linkTo}` : undefined;
  }
  if (found.mode !== file.mode) return `has mode ${found.mode.toString(8)}`;
  if ('isFolder' in file || 'device' in file) return undefined;
  const bytes = 'from' in file ? statSync(file.from).size : Buffer.byteLength(file.bytes);
  return found.bytes === bytes ? undefined : `has ${found.bytes} bytes instead of ${bytes}`;
}

function typeOf(file: DiskFile): string {
  if ('to' in file) return 'symlink';
  if ('isFolder' in file) return 'directory';
  if ('device' in file) return file.device.kind === 'c' ? 'character special' : 'block special';
  return 'regular';
}

/** The exit code does not reflect failed commands, but each failure prints to stderr, below one line with the version. */
async function debugfs(
  disk: Ext4Place,
  lines: readonly string[],
  deps: PutDeps,
  flags: readonly string[],
  expected: readonly string[] = [],
): Promise<string> {
  const script = join(deps.folder, 'debugfs.txt');
  writeFileSync(script, `${lines.join('\n')}\n`, { mode: 0o600 });
  const { stdout, stderr } = await tool(onPlace(disk, deps.epochSec, ['debugfs', ...flags, '-f', script]), deps);
  const wrong = stderr
    .split('\n')
    .slice(1)
    .find((line) => line !== '' && !expected.some((text) => line.includes(text)));
  if (wrong === undefined) return stdout;
  throw new UserError(`cannot write the image's file system: ${wrong}`, {
    code: 'image/not-written',
    kept: 'No image was built.',
    next: 'if the file system is full, raise disk.sizeMb in the manifest',
    exitCode: 1,
  });
}

const DEADLINE_MS = 60 * 60_000;

async function tool(argv: ToolArgv, { run, signal }: PutDeps, good: readonly number[] = [0]) {
  signal?.throwIfAborted();
  const ran = await run(killedWithParent(argv), { timeoutMs: DEADLINE_MS, signal });
  signal?.throwIfAborted();
  if (ran.code === null || !good.includes(ran.code)) {
    throw new Error(
      `${argv.join(' ')}: ${ran.outcome} ${ran.code}: ${ran.stderr}${ran.stdout.toString().slice(-2000)}`,
    );
  }
  return { stdout: ran.stdout.toString(), stderr: ran.stderr };
}
