import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { readBolt } from './bolt/read.ts';
import { bucketAt } from './bolt/tree.ts';
import { finishStore } from './finish-store.ts';
import { snapshotIds, storeContent } from './normalise-store.ts';

const folder = mkdtempSync(join(tmpdir(), 'headstart-settle-'));
const META = join(folder, 'io.containerd.metadata.v1.bolt/meta.db');
const BLOBS = join(folder, 'io.containerd.content.v1.content/blobs/sha256');
const OVERLAYFS = join(folder, 'io.containerd.snapshotter.v1.overlayfs');
const fixture = (name: string) => gunzipSync(readFileSync(join(import.meta.dirname, 'bolt/fixtures', `${name}.gz`)));
const content = storeContent(readBolt(fixture('meta.db'), 'meta.db').root);
const ids = snapshotIds(readBolt(fixture('metadata.db'), 'metadata.db').root);

/** A store as containerd leaves it. */
beforeEach(() => {
  rmSync(folder, { recursive: true });
  for (const id of ids) mkdirSync(join(OVERLAYFS, 'snapshots', String(id)), { recursive: true });
  mkdirSync(join(META, '..'), { recursive: true });
  mkdirSync(BLOBS, { recursive: true });
  for (const digest of content.blobs) writeFileSync(join(BLOBS, digest.slice('sha256:'.length)), '');
  writeFileSync(META, fixture('meta.db'), { mode: 0o644 });
  writeFileSync(join(OVERLAYFS, 'metadata.db'), fixture('metadata.db'), { mode: 0o600 });
});
afterAll(() => rmSync(folder, { recursive: true }));

const expected = (epochSec = 0) => ({
  digests: content.images,
  usages: new Map(ids.map((id) => [id, { inodes: 1, bytes: 4096 }])),
  epochSec,
});

test('finishStore keeps content and file modes, and removes history', () => {
  finishStore(folder, expected());
  const finished = readFileSync(META);
  expect(storeContent(readBolt(finished, 'meta.db').root)).toEqual(content);
  expect(finished.length).toBeLessThan(fixture('meta.db').length);
  expect(statSync(META).mode & 0o777).toBe(0o644);
  expect(statSync(join(OVERLAYFS, 'metadata.db')).mode & 0o777).toBe(0o600);
  expect(bucketAt(readBolt(finished, 'meta.db').root, 'v1', 'k8s.io', 'leases')).toBeUndefined();
});

test('finishStore is idempotent', () => {
  finishStore(folder, expected());
  const [meta, snapshots] = [readFileSync(META), readFileSync(join(OVERLAYFS, 'metadata.db'))];
  finishStore(folder, expected());
  expect(readFileSync(META).equals(meta)).toBe(true);
  expect(readFileSync(join(OVERLAYFS, 'metadata.db')).equals(snapshots)).toBe(true);
});

test.each([
  ['an extra blob', () => writeFileSync(join(BLOBS, 'f'.repeat(64)), ''), "containerd's blobs"],
  ['a missing blob', () => rmSync(join(BLOBS, [...content.blobs][0]!.slice('sha256:'.length))), "containerd's blobs"],
  ['a partial snapshot', () => mkdirSync(join(OVERLAYFS, 'snapshots', 'new-123')), "containerd's snapshots"],
  ['a truncated database', () => writeFileSync(META, fixture('meta.db').subarray(0, 9000)), 'damaged'],
])('finishStore reports %s', (_, spoil, message) => {
  spoil();
  expect(() => finishStore(folder, expected())).toThrow(message);
});

test('finishStore reports an unexpected image', () => {
  const digests = new Map([...content.images].slice(1));
  expect(() => finishStore(folder, { ...expected(), digests })).toThrow("containerd's images");
});
