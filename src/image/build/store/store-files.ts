// image/build/store/store-files.ts: which files does a container store consist of? Lists them for the file system, with owners, devices and extended attributes.
import { join, posix } from 'node:path';
import type { RunCommand } from '../../../base/command.ts';
import { UserError } from '../../../base/errors.ts';
import { runTool } from '../../../host/run-tool.ts';
import type { DiskFile, Xattr } from '../disk/put-files.ts';
import type { ContainerStore } from './container-store.ts';

export interface StoreFilesDeps {
  /** The user may not be able to read every file. */
  runAsRoot: RunCommand;
  signal?: AbortSignal | undefined;
}

export const STORE_PATH = 'var/lib/containerd';

export async function storeFiles({ folder }: ContainerStore, deps: StoreFilesDeps): Promise<DiskFile[]> {
  const { runAsRoot, signal } = deps;
  // Node.js cannot read extended attributes, but tar can. Use a copy without content, so that the output contains only headers.
  const copy = `${folder}.attributes`;
  await runTool(runAsRoot, ['rm', '-rf', '--one-file-system', copy], signal);
  await runTool(runAsRoot, ['cp', '--archive', '--attributes-only', folder, copy], signal);
  const flags = ['--create', '--format=posix', '--sort=name', '--numeric-owner', '--xattrs', '--xattrs-include=*'];
  const ran = await runAsRoot(['tar', ...flags, `--directory=${copy}`, '.'], {
    timeoutMs: DEADLINE_MS,
    maxBytes: MAX_LIST_BYTES,
    signal,
  });
  signal?.throwIfAborted();
  if (ran.code !== 0) throw new Error(`tar did not list ${copy}: ${ran.outcome} ${ran.stderr.trim()}`);
  await runTool(runAsRoot, ['rm', '-rf', '--one-file-system', copy], signal);
  return parseEntries(ran.stdout).map((entry) => diskFile(entry, folder));
}

const DEADLINE_MS = 10 * 60_000;
/** One or two kilobytes per file. */
const MAX_LIST_BYTES = 1 << 30;

export interface TarEntry {
  path: string;
  /** Type flag as in tar(5): 0 file, 1 hard link, 2 symbolic link, 3 and 4 devices, 5 folder. */
  type: string;
  mode: number;
  uid: number;
  gid: number;
  mtimeSec: number;
  linkTo: string;
  device: { major: number; minor: number };
  xattrs: readonly Xattr[];
}

function diskFile(entry: TarEntry, folder: string): DiskFile {
  const { type, mode, uid, gid, mtimeSec } = entry;
  const xattrs = entry.xattrs.flatMap(asOnNode);
  const common = { path: posix.join(STORE_PATH, entry.path), uid, gid, mtimeSec, ...(xattrs.length > 0 && { xattrs }) };
  if (type === '0' || type === '1') return { ...common, mode, from: join(folder, entry.path) };
  if (type === '2') return { ...common, to: entry.linkTo };
  if (type === '5') return { ...common, mode, isFolder: true };
  if (type === '3' || type === '4')
    return { ...common, mode, device: { kind: type === '3' ? 'c' : 'b', ...entry.device } };
  throw new UserError(
    `a container image contains ${JSON.stringify(entry.path)}, which is not a file, folder, link or device`,
    {
      code: 'image/bad-layer',
      kept: 'No image was built.',
      next: 'build the container image without it, then lock again',
      exitCode: 1,
    },
  );
}

const USERS_OWN = 'user.overlay.';

/**
 * In a user namespace overlayfs stores its attributes under a prefix that the user may write and that a node's overlayfs does not read.
 * The node needs only `opaque` (a folder hides the one below it); the other attributes refer to inodes of this machine.
 */
function asOnNode(xattr: Xattr): Xattr[] {
  if (!xattr.name.startsWith(USERS_OWN)) return [xattr];
  return xattr.name === `${USERS_OWN}opaque` ? [{ ...xattr, name: 'trusted.overlay.opaque' }] : [];
}

const BLOCK = 512;

/** For an archive whose files have no content. */
export function parseEntries(archive: Buffer): TarEntry[] {
  const entries: TarEntry[] = [];
  let extended = new Map<string, Buffer>();
  for (let at = 0; at + BLOCK <= archive.length && archive[at] !== 0; ) {
    const header = archive.subarray(at, at + BLOCK);
    const [type, size] = [header.toString('latin1', 156, 157), octal(header, 124, 12)];
    at += BLOCK;
    if (type === 'x') {
      extended = parseExtended(archive.subarray(at, at + size));
      at += Math.ceil(size / BLOCK) * BLOCK;
      continue;
    }
    if (size > 0) throw new Error('the archive of attributes has file content');
    entries.push(entryOf(header, type, extended));
    extended = new Map();
  }
  return entries;
}

function entryOf(header: Buffer, type: string, extended: ReadonlyMap<string, Buffer>): TarEntry {
  const prefix = text(header, 345, 155);
  const short = `${prefix && `${prefix}/`}${text(header, 0, 100)}`;
  const number = (name: string, at: number) => Number(extended.get(name)?.toString() ?? octal(header, at, 8));
  const path = posix.normalize(extended.get('path')?.toString() ?? short).replace(/\/$/, '');
  const xattrs = [...extended].flatMap(([key, value]) =>
    key.startsWith(XATTR) ? { name: key.slice(XATTR.length), value } : [],
  );
  return {
    ...{ path, type, xattrs },
    mode: octal(header, 100, 8) & 0o7777,
    uid: number('uid', 108),
    gid: number('gid', 116),
    mtimeSec: Math.floor(Number(extended.get('mtime')?.toString() ?? octal(header, 136, 12))),
    linkTo: extended.get('linkpath')?.toString() ?? text(header, 157, 100),
    device: { major: octal(header, 329, 8), minor: octal(header, 337, 8) },
  };
}

const XATTR = 'SCHILY.xattr.';

/** Records of the form `length key=value\n`. The length includes itself; a value may contain any byte. */
function parseExtended(records: Buffer): Map<string, Buffer> {
  const found = new Map<string, Buffer>();
  for (let at = 0; at < records.length; ) {
    const blank = records.indexOf(' ', at);
    const end = at + Number(records.toString('latin1', at, blank));
    const equals = records.indexOf('=', blank);
    if (blank < 0 || !(end > equals) || equals < 0 || end > records.length)
      throw new Error('tar wrote a damaged header');
    found.set(records.toString('utf8', blank + 1, equals), records.subarray(equals + 1, end - 1));
    at = end;
  }
  return found;
}

function text(header: Buffer, at: number, length: number): string {
  const field = header.subarray(at, at + length);
  const end = field.indexOf(0);
  return field.toString('utf8', 0, end < 0 ? length : end);
}

const octal = (header: Buffer, at: number, length: number) =>
  Number.parseInt(text(header, at, length).trim() || '0', 8);
