// image/lock/content-hash.ts: which image is this? One hash covers all inputs of an image, another one the inputs of its base.
import { createHash } from 'node:crypto';
import { canonicalJson, type Json } from '../../schema/json.ts';
import type { Artifact, ImageLock } from './lock.ts';

/** Increase it when the builder makes different bytes from the same lock. */
export const BUILDER_FORMAT = 1;

/** The artifacts in the image of one Kubernetes patch version. */
export function artifactsOf(lock: Pick<ImageLock, 'artifacts'>, kubernetes: string): Artifact[] {
  return lock.artifacts.filter((artifact) => artifact.kubernetes === undefined || artifact.kubernetes === kubernetes);
}

/** Independent of the mirrors, and of what only other images of the same lock contain. */
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

/** Covers the packages, which all images of the lock share. */
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

/** JSON cannot express an optional field that is present and undefined. */
function withoutUndefined(value: object): Json {
  return JSON.parse(JSON.stringify(value)) as Json;
}

function hashOf(value: Json): string {
  return createHash('sha256').update(canonicalJson(value)).digest('hex');
}
