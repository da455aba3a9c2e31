// image/publish/testing.ts: a page blob in memory for tests; it can fail on request, and tests can read its content.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { BuildRecord } from '../build/contract.ts';
import { qcow2Header } from '../build/disk/own-disk.testing.ts';
import { FILES } from '../test/boot-image.ts';
import type { BootMethod } from '../test/verdict.ts';
import { sha256Of } from '../testing.ts';
import type { BlobFacts, PageBlob } from './page-blob.ts';
import { PAGE_BYTES } from './pages.ts';

export interface FakeBlob extends PageBlob {
  /** Undefined before `create`. */
  bytes: Buffer | undefined;
  metadata: Record<string, string>;
  /** Numbers of the written pages. */
  written: Set<number>;
  calls: string[];
  /** The call with this number (from 1) and all later calls throw this error. */
  failFrom?: { call: number; error: Error };
}

export function fakeBlob(): FakeBlob {
  const pagesOf = (offset: number, bytes: number) =>
    Array.from({ length: bytes / PAGE_BYTES }, (_, i) => offset / PAGE_BYTES + i);
  const called = (what: string) => {
    blob.calls.push(what);
    if (blob.failFrom && blob.calls.length >= blob.failFrom.call) throw blob.failFrom.error;
  };
  const blob: FakeBlob = {
    url: 'https://images.blob.core.windows.net/images/node.vhd',
    bytes: undefined,
    metadata: {},
    written: new Set(),
    calls: [],
    async inspect() {
      called('inspect');
      return blob.bytes && { bytes: blob.bytes.length, metadata: { ...blob.metadata } };
    },
    async create({ bytes, metadata }: BlobFacts) {
      called('create');
      if (blob.bytes) return;
      blob.bytes = Buffer.alloc(bytes);
      blob.metadata = { ...metadata };
    },
    async ranges() {
      called('ranges');
      return [...blob.written].sort((a, b) => a - b).map((page) => ({ offset: page * PAGE_BYTES, bytes: PAGE_BYTES }));
    },
    async read({ offset, bytes }) {
      called(`read ${offset}`);
      return Buffer.from(blob.bytes!.subarray(offset, offset + bytes));
    },
    async write(offset, pages) {
      called(`write ${offset}`);
      if (offset % PAGE_BYTES !== 0 || pages.length % PAGE_BYTES !== 0) throw new Error('not whole pages');
      pages.copy(blob.bytes!, offset);
      for (const page of pagesOf(offset, pages.length)) blob.written.add(page);
    },
    async clear({ offset, bytes }) {
      called(`clear ${offset}`);
      blob.bytes!.fill(0, offset, offset + bytes);
      for (const page of pagesOf(offset, bytes)) blob.written.delete(page);
    },
    async setMetadata(metadata) {
      called('setMetadata');
      blob.metadata = { ...metadata };
    },
  };
  return blob;
}

/** Writes a build folder with small files and returns its record. */
export function writeBuild(folder: string, changes: Partial<BuildRecord> & { vhd?: Buffer } = {}): BuildRecord {
  const { vhd = Buffer.alloc(3 * PAGE_BYTES, 7), ...rest } = changes;
  const files: Record<string, Buffer> = {
    'disk.vhd': vhd,
    'disk.qcow2': qcow2Header(vhd.length),
    vmlinux: Buffer.from('vmlinux'),
    'initrd.cpio': Buffer.from('initrd'),
  };
  const record: BuildRecord = {
    apiVersion: 'headstart.dev/v1',
    kind: 'ImageBuild',
    name: 'node',
    version: '1.35.8-2026.1116.0',
    kubernetes: '1.35.8',
    architecture: 'amd64',
    contentSha256: sha256Of('content'),
    base: { origin: 'debian:bookworm', date: '2026.1116', patch: 0 },
    kernelRelease: '6.1.0-40-amd64',
    kernelArgs: 'root=PARTUUID=00000000-0000-4000-8000-000000000000 rw quiet',
    root: 'PARTUUID=00000000-0000-4000-8000-000000000000',
    contentBytes: 1,
    diskBytes: vhd.length,
    files: Object.fromEntries(
      Object.entries(files).map(([name, bytes]) => [name, { sha256: sha256Of(bytes), bytes: bytes.length }]),
    ),
    ...rest,
  };
  mkdirSync(folder, { recursive: true });
  for (const [name, bytes] of Object.entries(files)) writeFileSync(join(folder, name), bytes);
  writeFileSync(join(folder, 'build.json'), JSON.stringify(record));
  return record;
}

/** Uses the checksums of the build in the folder. */
export function writeTest(
  folder: string,
  contentSha256: string,
  isPassed = true,
  ways: readonly BootMethod[] = ['firmware', 'kernel'],
): void {
  const { files } = JSON.parse(readFileSync(join(folder, 'build.json'), 'utf8')) as BuildRecord;
  const boots = ways.map((way) => {
    const booted = Object.fromEntries(FILES[way].map((name) => [name, files[name]!.sha256]));
    return { way, files: booted, isPassed, checks: [], phases: [], budget: [] };
  });
  const test = { apiVersion: 'headstart.dev/v1', kind: 'ImageTest', contentSha256, isPassed, boots };
  writeFileSync(join(folder, 'test.json'), JSON.stringify(test));
}
