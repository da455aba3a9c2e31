// image/build/store/finish-store.ts: what happens to containerd's folder after containerd has stopped? Machine-dependent values in its databases are replaced, and missing or extra content is an error.
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { writeFileAtomic } from '../../../base/files.ts';
import { readBolt } from './bolt/read.ts';
import type { BoltBucket, BoltFile } from './bolt/tree.ts';
import { writeBolt } from './bolt/write.ts';
import { normaliseMetadata, normaliseSnapshots, snapshotIds, storeContent, type Usage } from './normalise-store.ts';

export interface ExpectedStore {
  /** Digest by name, of every expected image. */
  digests: ReadonlyMap<string, string>;
  usages: ReadonlyMap<bigint, Usage>;
  epochSec: number;
}

const METADATA = 'io.containerd.metadata.v1.bolt/meta.db';
const BLOBS = 'io.containerd.content.v1.content/blobs/sha256';
const OVERLAYFS = 'io.containerd.snapshotter.v1.overlayfs';

export function finishStore(folder: string, { digests, usages, epochSec }: ExpectedStore): void {
  const metadata = rewriteDatabase(join(folder, METADATA), (root) => normaliseMetadata(root, epochSec));
  const snapshots = rewriteDatabase(join(folder, OVERLAYFS, 'metadata.db'), (root) =>
    normaliseSnapshots(root, usages, epochSec),
  );
  const { images, blobs, snapshots: chains } = storeContent(metadata);
  expectSame('images', pairs(images), pairs(digests));
  expectSame(
    'blobs',
    readdirSync(join(folder, BLOBS)).map((name) => `sha256:${name}`),
    [...blobs],
  );
  expectSame('snapshots', readdirSync(join(folder, OVERLAYFS, 'snapshots')), snapshotIds(snapshots).map(String));
  expectSame(
    'layers',
    chains,
    chains.filter((chain) => chain.startsWith('sha256:')),
  );
}

/** Returns the new root bucket. */
function rewriteDatabase(file: string, change: (root: BoltBucket) => BoltBucket): BoltBucket {
  const before: BoltFile = readBolt(readFileSync(file), file);
  const after = { ...before, root: change(before.root) };
  writeFileAtomic(file, writeBolt(after), statSync(file).mode & 0o777);
  return after.root;
}

const pairs = (map: ReadonlyMap<string, string>) => [...map].map((pair) => pair.join(' → '));

/** Fails early; otherwise a difference would show only when two images are compared. */
function expectSame(what: string, there: readonly string[], wanted: readonly string[]): void {
  const [a, b] = [there.toSorted().join('\n'), wanted.toSorted().join('\n')];
  if (a !== b) throw new Error(`containerd's ${what} do not match: expected:\n${b}\ngot:\n${a}`);
}
