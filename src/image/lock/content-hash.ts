// image/lock/content-hash.ts: which image is this? One hash over exactly what its bytes come from, and one over what its base comes from.
import { createHash } from 'node:crypto';
import { canonicalJson, type Json } from '../../schema/json.ts';
import type { Artifact, ImageLock } from './lock.ts';

/** Counts changes of how an image is made that its lock does not show: another one makes other bytes of the same lock. */
export const BUILDER_FORMAT = 1;

/** What is in the image of that patch version. */
export function artifactsOf(lock: Pick<ImageLock, 'artifacts'>, kubernetes: string): Artifact[] {
  return lock.artifacts.filter((artifact) => artifact.kubernetes === undefined || artifact.kubernetes === kubernetes);
}

/** Neither where the bytes were fetched from nor what other images of the same lock hold makes a difference. */
export function contentSha256(lock: ImageLock, kubernetes: string): string {
  const { origin, date, patch } = lock.base;
  return hashOf({
    format: BUILDER_FORMAT,
    name: lock.name,
    architecture: lock.architecture,
    kubernetes,
    base: { origin, date, patch },
    disk: { ...lock.disk },
    artifacts: inOrder(artifactsOf(lock, kubernetes)),
    files: inOrder(lock.files),
  });
}

/** All packages, which every image of the lock shares. */
export function baseSha256(lock: ImageLock): string {
  const packages = lock.artifacts.filter(({ kind }) => kind === 'deb');
  return hashOf({
    format: BUILDER_FORMAT,
    architecture: lock.architecture,
    origin: lock.base.origin,
    packages: inOrder(packages.map(({ component, version, sha256 }) => ({ component, version, sha256 }))),
  });
}

function inOrder(values: readonly object[]): Json {
  return values.map((value) => canonicalJson(withoutUndefined(value))).sort();
}

/** What a type calls optional may be there and undefined, which JSON has no word for. */
function withoutUndefined(value: object): Json {
  return JSON.parse(JSON.stringify(value)) as Json;
}

function hashOf(value: Json): string {
  return createHash('sha256').update(canonicalJson(value)).digest('hex');
}
