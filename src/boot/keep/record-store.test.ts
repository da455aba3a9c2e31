import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { UserError } from '../../base/errors.ts';
import { loadInputs } from '../load/load.ts';
import { milestonesOf } from '../model/milestones.ts';
import { phases } from '../model/phases.ts';
import { BOOT_API_VERSION, type BootRecord, type Unit } from '../model/record.ts';
import { blame } from '../questions/blame.ts';
import { chain } from '../questions/chain.ts';
import { packRecord, pruneRecords, readRecords, storeRecord } from './record-store.ts';
import { trimRecord } from './trim-record.ts';

let folder: string;
beforeEach(() => {
  folder = join(mkdtempSync(join(tmpdir(), 'headstart-records-')), 'boots');
});
afterEach(() => rmSync(join(folder, '..'), { recursive: true }));

const id = (n: number) => n.toString(16).padStart(32, '0');
const unit = (name: string, rest: Partial<Unit> = {}): Unit => ({
  ...{ name, activatingUs: 1, activatedUs: 2, deactivatingUs: 0, deactivatedUs: 0, after: [] },
  ...rest,
});
const record = (n: number, rest: Partial<BootRecord> = {}): BootRecord => ({
  ...{
    apiVersion: BOOT_API_VERSION,
    kind: 'BootRecord',
    bootId: id(n),
    host: {},
    units: [],
    spans: [],
    milestones: [],
  },
  ...{ clock: { zero: 'kernel', wallAtZeroUs: n * 1e6 }, sources: [], notes: [] },
  ...rest,
});

describe('record store', () => {
  it('keeps one private file per boot: a second record replaces the first', () => {
    storeRecord(record(1), folder);
    const { path } = storeRecord(record(1, { host: { kernel: '6.1' } }), folder);
    expect(readdirSync(folder)).toEqual([`${id(1)}.json.zst`]);
    expect(statSync(path).mode & 0o777).toBe(0o640);
    expect(statSync(folder).mode & 0o777).toBe(0o750);
    expect(readRecords(folder).records[0]!.record.host.kernel).toBe('6.1');
  });

  it('reads records oldest boot first, and sorts one without a wall clock by its file time', () => {
    for (const n of [3, 1]) storeRecord(record(n), folder);
    const { path } = storeRecord(record(9, { clock: { zero: 'kernel' } }), folder);
    utimesSync(path, 2, 2);
    expect(readRecords(folder).records.map((entry) => entry.record.bootId)).toEqual([id(1), id(9), id(3)]);
  });

  it('deletes the oldest records beyond the number to keep, and no other files', () => {
    for (let n = 1; n <= 5; n++) storeRecord(record(n), folder);
    writeFileSync(join(folder, 'notes.txt'), 'mine');
    expect(pruneRecords(folder, 2)).toHaveLength(3);
    expect(pruneRecords(folder, 2)).toEqual([]);
    expect(readdirSync(folder).sort()).toEqual([`${id(4)}.json.zst`, `${id(5)}.json.zst`, 'notes.txt']);
  });

  it('reports a damaged file and reads the others', () => {
    storeRecord(record(1), folder);
    const damage: [number, Uint8Array][] = [
      [2, Buffer.from('not zstd')],
      [3, readFileSync(join(folder, `${id(1)}.json.zst`)).subarray(0, 20)],
      [4, zstdCompressSync('{"kind":"Other"}')],
      [5, zstdCompressSync('null')],
      [6, zstdCompressSync(JSON.stringify({ ...record(6), apiVersion: 'headstart.dev/v9' }))],
      [7, zstdCompressSync(JSON.stringify({ ...record(7), units: 3 }))],
    ];
    for (const [n, bytes] of damage) writeFileSync(join(folder, `${id(n)}.json.zst`), bytes);
    const { records, damaged } = readRecords(folder);
    expect(records).toHaveLength(1);
    expect(damaged.map(({ path }) => path)).toEqual(damage.map(([n]) => join(folder, `${id(n)}.json.zst`)));
    expect(damaged.every(({ why }) => why !== '')).toBe(true);
  });

  it('does not block on a FIFO', () => {
    storeRecord(record(1), folder);
    execFileSync('mkfifo', [join(folder, `${id(2)}.json.zst`)]);
    const { records, damaged } = readRecords(folder);
    expect(records).toHaveLength(1);
    expect(damaged).toEqual([{ path: join(folder, `${id(2)}.json.zst`), why: 'not a regular file' }]);
  });

  it('reports arbitrary bytes as a damaged record and never throws', () => {
    storeRecord(record(1), folder);
    fc.assert(
      fc.property(
        fc.oneof(
          fc.uint8Array(),
          fc.json().map((json) => zstdCompressSync(json)),
        ),
        (bytes) => {
          writeFileSync(join(folder, `${id(2)}.json.zst`), bytes);
          expect(readRecords(folder).damaged).toHaveLength(1);
        },
      ),
    );
  });

  it('gives no records for a missing folder', () => {
    expect(readRecords(join(folder, 'none'))).toEqual({ records: [], damaged: [] });
  });

  it('refuses a boot without an id', () => {
    const { bootId: _, ...anonymous } = record(1);
    expect(() => storeRecord(anonymous, folder)).toThrow(UserError);
    expect(() => storeRecord(record(1, { bootId: '../../etc/passwd' }), folder)).toThrow(UserError);
  });

  it('stores no secret that a source quoted', () => {
    const span = {
      id: 'a',
      name: 'a',
      source: 'cloud-init',
      startUs: 0,
      endUs: 1,
      detail: 'password: hunter22',
    } as const;
    const json = zstdDecompressSync(packRecord(record(1, { spans: [span] }))).toString();
    expect(json).not.toContain('hunter22');
    expect((JSON.parse(json) as BootRecord).spans[0]!.endUs).toBe(1);
  });
});

describe('trimRecord', () => {
  it('removes units that never started and all references to them', () => {
    const trimmed = trimRecord(
      record(1, {
        units: [
          unit('a.service', { after: ['b.target', 'gone.service'], before: ['x'], wants: ['gone.service'] }),
          unit('gone.service', { activatingUs: 0, activatedUs: 0 }),
          unit('b.target', { activatingUs: 0, activatedUs: 5 }),
        ],
        notes: [{ level: 'warning', text: 'x' }],
      }),
    );
    expect(trimmed.units).toEqual([
      unit('a.service', { after: ['b.target'] }),
      unit('b.target', { activatingUs: 0, activatedUs: 5 }),
    ]);
    expect(trimmed.notes).toEqual([]);
  });

  it.each(['first-boot', 'clone-boot'])('keeps the answers for the recorded %s', async (name) => {
    const path = new URL(`../fixtures/boots/${name}.tar.gz`, import.meta.url).pathname;
    const [whole] = await loadInputs([path], { readStdin: () => new Uint8Array(), nowUs: 0 });
    const kept = trimRecord(whole!);
    expect(phases(kept)).toEqual(phases(whole!));
    expect(milestonesOf(kept)).toEqual(milestonesOf(whole!));
    expect(blame(kept)).toEqual(blame(whole!));
    expect(chain(kept)).toEqual(chain(whole!));
  });

  it('is idempotent', () => {
    const names = fc.constantFrom('a', 'b', 'c', 'd');
    const units = fc.array(
      fc.record({
        name: names,
        activatingUs: fc.nat(1),
        activatedUs: fc.nat(1),
        after: fc.array(names),
        wants: fc.array(names),
      }),
    );
    fc.assert(
      fc.property(units, (sketch) => {
        const once = trimRecord(record(1, { units: sketch.map(({ name, ...rest }) => unit(name, rest)) }));
        expect(trimRecord(once)).toEqual(once);
      }),
    );
  });
});
