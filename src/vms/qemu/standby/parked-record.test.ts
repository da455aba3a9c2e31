import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { instanceFiles } from '../home/layout.ts';
import { changedFile, FROZEN_FILES, type ParkedRecord, readParked, sumFiles, writeParked } from './parked-record.ts';

let folder: string;
let files: ParkedRecord['files'];
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'headstart-parked-'));
  for (const name of FROZEN_FILES) writeFileSync(join(folder, name), `content of ${name}`);
  files = await sumFiles(folder);
});
afterEach(() => rmSync(folder, { recursive: true }));

describe('frozen files', () => {
  it('are as they were when nothing touched them', async () => {
    expect(await changedFile(folder, files)).toBeUndefined();
  });

  it.each([...FROZEN_FILES])('are as they were when %s was copied with its content', async (name) => {
    const path = join(folder, name);
    rmSync(path);
    writeFileSync(path, `content of ${name}`);
    expect(await changedFile(folder, files)).toBeUndefined();
  });

  it.each([...FROZEN_FILES])('have changed when a byte of %s has, even with the old size and times', async (name) => {
    const path = join(folder, name);
    const { atime, mtime } = statSync(path);
    writeFileSync(path, `Content of ${name}`);
    utimesSync(path, atime, mtime);
    expect(await changedFile(folder, files)).toBe(name);
  });

  it.each([...FROZEN_FILES])('have changed when %s is missing, or a link to the same bytes', async (name) => {
    const path = join(folder, name);
    renameSync(path, join(folder, 'elsewhere'));
    expect(await changedFile(folder, files)).toBe(name);
    symlinkSync(join(folder, 'elsewhere'), path);
    expect(await changedFile(folder, files)).toBe(name);
  });

  it('have changed when the record does not list one', async () => {
    const { [instanceFiles.devices]: _, ...others } = files;
    expect(await changedFile(folder, others)).toBe(instanceFiles.devices);
  });

  it('stop being read when aborted', async () => {
    chmodSync(join(folder, instanceFiles.memory), 0o600); // another stamp, so the content is read
    const aborted = AbortSignal.abort(new Error('enough'));
    await expect(changedFile(folder, files, aborted)).rejects.toThrow();
  });
});

const complete: ParkedRecord = {
  ...{ tier: 'frozen', parkedMs: 2, bootedMs: 1, qemu: '7.2', shape: ['-m 64'], image: 'i', modelRevision: 1 },
  ...{ kernel: 'k', document: 'd', node: { labels: {} }, files: {} },
  certificateStartMs: 1,
  certificateEndMs: 3,
  apiServer: { host: '127.0.0.1', port: 6443 },
};

describe('the record of a parked instance', () => {
  it('is private, and read as it was written; undefined when it is missing', () => {
    const record: ParkedRecord = { ...complete, files };
    expect(readParked(folder)).toBeUndefined();
    writeParked(folder, record);
    expect(readParked(folder)).toEqual(record);
    expect(statSync(join(folder, instanceFiles.parked)).mode & 0o777).toBe(0o600);
  });

  it.each<[string, object]>([
    ['a tier', { tier: 'melted' }],
    ['a fact', { encryption: 'aes' }],
    ['a fact of a file', { files: { [instanceFiles.memory]: { sha256: '', bytes: 0, stamp: '', offset: 1 } } }],
  ])('is unknown when a newer headstart wrote %s that this one does not know', (_what, changes) => {
    const record = { ...complete, ...changes };
    writeFileSync(join(folder, instanceFiles.parked), JSON.stringify(record));
    expect(readParked(folder)).toBeUndefined();
  });

  it.each(['parkedMs', 'bootedMs', 'certificateStartMs', 'certificateEndMs'])(
    'is unknown when %s is not a time that a date can have',
    (name) => {
      for (const ms of [-1, 8.7e15]) {
        writeFileSync(join(folder, instanceFiles.parked), JSON.stringify({ ...complete, [name]: ms }));
        expect(readParked(folder)).toBeUndefined();
      }
      writeFileSync(join(folder, instanceFiles.parked), JSON.stringify({ ...complete, [name]: 8.64e15 }));
      expect(readParked(folder)).toBeDefined();
    },
  );

  it('is unknown when it is cut off, or a folder', () => {
    writeFileSync(join(folder, instanceFiles.parked), JSON.stringify(complete).slice(0, -9));
    expect(readParked(folder)).toBeUndefined();
    rmSync(join(folder, instanceFiles.parked));
    mkdirSync(join(folder, instanceFiles.parked));
    expect(readParked(folder)).toBeUndefined();
  });
});
