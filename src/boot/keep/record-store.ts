// boot/keep/record-store.ts: the folder of boot records: write one, keep the newest, read them all back.
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

/** One file per boot: a second record of the same boot takes the place of the first. Gives its path and size. */
export function storeRecord(record: BootRecord, folder: string): { path: string; bytes: number } {
  const path = recordPath(record, folder);
  const bytes = packRecord(record);
  try {
    mkdirSync(folder, { recursive: true, mode: 0o750 });
    writeFileAtomic(path, bytes, 0o640);
  } catch (error) {
    throw new UserError(`cannot write ${path}: ${whyUnwritable(error)}`, {
      code: 'boot/record-unwritable',
      next: 'run it as root, or name a folder you may write to with --dir',
      exitCode: 1,
      cause: error,
    });
  }
  return { path, bytes: bytes.length };
}

/** Where the record of this boot is kept; a boot without an id cannot be. */
export function recordPath(record: BootRecord, folder: string): string {
  if (!/^[0-9a-f]{32}$/.test(record.bootId ?? '')) {
    throw new UserError('no input tells the id of this boot, and a record is kept under it', {
      code: 'boot/no-boot-id',
      kept: 'Nothing was written.',
      next: 'add an input that has it: journal JSON, a bundle, or a file with /proc/sys/kernel/random/boot_id',
      exitCode: 1,
    });
  }
  return join(folder, `${record.bootId}.json.zst`);
}

export function packRecord(record: BootRecord): Uint8Array {
  return zstdCompressSync(recordJson(record), { params: { [constants.ZSTD_c_compressionLevel]: 19 } });
}

/** Removes the oldest past `keep`; damaged ones are left for a person to look at. Gives what it removed. */
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
      if (!statSync(path).isFile()) throw new Error('not a regular file'); // a FIFO would wait for a writer
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
      next: 'run it as root, or name the folder of the records with --dir',
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

/** A record without a wall clock is placed by when it was written. */
function startedAtUs({ path, record }: { path: string; record: BootRecord }): number {
  return record.clock.wallAtZeroUs ?? statSync(path).mtimeMs * 1000;
}
