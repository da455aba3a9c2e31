// boot/keep/record-store.ts: the folder of boot records: write one, delete the oldest, read all.
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { UserError } from '../../base/errors.ts';
import { writeFileAtomic } from '../../base/files.ts';
import { whyUnreadable, whyUnwritable } from '../../base/why-unreadable.ts';
import type { BootRecord } from '../model/record.ts';
import { problemsOf } from '../model/schema.ts';
import { recordJson } from './trim-record.ts';

export const RECORDS_FOLDER = '/var/lib/headstart/boots';

const RECORD_FILE = /^[0-9a-f]{32}\.json\.zst$/;
const MAX_RECORD_BYTES = 64 << 20;

export interface StoredRecords {
  /** Oldest boot first. */
  records: { path: string; record: BootRecord }[];
  damaged: { path: string; why: string }[];
}

/** One file per boot: a second record of the same boot replaces the first. Returns its path and size. */
export function storeRecord(record: BootRecord, folder: string): { path: string; bytes: number } {
  const path = recordPath(record, folder);
  const bytes = packRecord(record);
  try {
    mkdirSync(folder, { recursive: true, mode: 0o750 });
    writeFileAtomic(path, bytes, 0o640);
  } catch (error) {
    throw new UserError(`cannot write ${path}: ${whyUnwritable(error)}`, {
      code: 'boot/record-unwritable',
      next: 'run this as root, or pass a writable folder with --dir',
      exitCode: 1,
      cause: error,
    });
  }
  return { path, bytes: bytes.length };
}

/** Throws for a boot without an id: the id is the file name. */
export function recordPath(record: BootRecord, folder: string): string {
  if (!/^[0-9a-f]{32}$/.test(record.bootId ?? '')) {
    throw new UserError('no input has the id of this boot, which is the name of its record', {
      code: 'boot/no-boot-id',
      kept: 'Nothing was written.',
      next: 'add an input with the boot id: journal JSON, a bundle, or a copy of /proc/sys/kernel/random/boot_id',
      exitCode: 1,
    });
  }
  return join(folder, `${record.bootId}.json.zst`);
}

export function packRecord(record: BootRecord): Uint8Array {
  return zstdCompressSync(recordJson(record), { params: { [constants.ZSTD_c_compressionLevel]: 19 } });
}

/** Deletes the oldest records beyond `keep`, but no damaged files, so that they can be inspected. Returns the deleted paths. */
export function pruneRecords(folder: string, keep: number): string[] {
  const { records } = readRecords(folder);
  const surplus = records.slice(0, Math.max(0, records.length - keep)).map(({ path }) => path);
  for (const path of surplus) rmSync(path, { force: true });
  return surplus;
}

export function readRecords(folder: string): StoredRecords {
  const stored: StoredRecords = { records: [], damaged: [] };
  for (const path of recordFiles(folder)) {
    try {
      if (!statSync(path).isFile()) throw new Error('not a regular file'); // reading a FIFO would block
      stored.records.push({ path, record: unpackRecord(readFileSync(path)) });
    } catch (error) {
      stored.damaged.push({ path, why: (error as Error).message });
    }
  }
  const order = new Map(stored.records.map((entry) => [entry, startedAtUs(entry)]));
  stored.records.sort((a, b) => order.get(a)! - order.get(b)! || (a.path < b.path ? -1 : 1));
  return stored;
}

function recordFiles(folder: string): string[] {
  try {
    const names = readdirSync(folder).filter((name) => RECORD_FILE.test(name));
    return names.sort().map((name) => join(folder, name));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw new UserError(`cannot read ${folder}: ${whyUnreadable(error)}`, {
      code: 'boot/records-unreadable',
      next: 'run this as root, or pass the folder of the records with --dir',
      exitCode: 1,
      cause: error,
    });
  }
}

function unpackRecord(bytes: Uint8Array): BootRecord {
  const record: unknown = JSON.parse(zstdDecompressSync(bytes, { maxOutputLength: MAX_RECORD_BYTES }).toString());
  const problems = problemsOf(record);
  if (problems) throw new Error(`not a boot record of this release (${problems.slice(0, 3).join('; ')})`);
  return record as BootRecord;
}

/** A record without a wall clock sorts by the time of its file. */
function startedAtUs({ path, record }: { path: string; record: BootRecord }): number {
  return record.clock.wallAtZeroUs ?? statSync(path).mtimeMs * 1000;
}
