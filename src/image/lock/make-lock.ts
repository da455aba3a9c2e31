// image/lock/make-lock.ts: resolve a manifest to the exact bytes of every image it describes, for one architecture.

import { createHash } from 'node:crypto';
import { stat } from 'node:fs/promises';
import type { Waiting } from '../../base/call-options.ts';
import { canonicalJson, type Json } from '../../schema/json.ts';
import type { Cache } from '../fetch/cache.ts';
import type {
  Architecture,
  DebComponent,
  FetchedComponent,
  FetchedVersion,
  FileComponent,
  Manifest,
} from '../manifest/manifest.ts';
import { versionFor } from '../manifest/version-for.ts';
import type { Artifact, ImageLock, LockedFile } from './lock.ts';
import { baseDate } from './package-index.ts';
import type { DebRequest, ResolvedDebs } from './resolve-debs.ts';

export interface LockDeps {
  cache: Cache;
  resolveDebs: (requests: readonly DebRequest[]) => Promise<ResolvedDebs>;
  signal?: AbortSignal | undefined;
  onWaiting?: Waiting | undefined;
}

/** Packages that come in as dependencies have many licences, which Debian's copyright files list. */
const NO_ASSERTION = 'NOASSERTION';

export async function makeLock(manifest: Manifest, architecture: Architecture, deps: LockDeps): Promise<ImageLock> {
  const components = Map.groupBy(manifest.components, ({ kind }) => kind);
  const packages = (components.get('deb') ?? []) as DebComponent[];
  const { debs, indices } = await deps.resolveDebs(packages.map(({ name, version }) => ({ name, version })));
  const licences = new Map(packages.map(({ name, licence }) => [name, licence]));
  const fetched = manifest.components.filter((component) => component.kind !== 'deb' && component.kind !== 'file');
  const { origin } = manifest.base;
  return {
    apiVersion: 'headstart.dev/v1',
    kind: 'ImageLock',
    name: manifest.name,
    architecture,
    manifestSha256: manifestSha256(manifest),
    base: { origin, date: baseDate(indices.map(({ date }) => date)), patch: 0, indices },
    kubernetes: manifest.kubernetes,
    artifacts: [
      ...debs.map(
        ({ name, version, suite, path, sha256, bytes, isAsked }): Artifact => ({
          component: name,
          kind: 'deb',
          version,
          origin: `debian:${suite}`,
          path,
          sha256,
          bytes,
          licence: licences.get(name) ?? NO_ASSERTION,
          ...(isAsked && { isAsked }),
        }),
      ),
      ...(await verify(
        fetched.flatMap((component) => artifactsOf(component, manifest, architecture)),
        deps,
      )),
    ].sort(byKindAndName),
    files: ((components.get('file') ?? []) as FileComponent[]).map(lockFile).sort((a, b) => (a.to < b.to ? -1 : 1)),
    disk: manifest.disk,
  };
}

/** Independent of comments and formatting. */
export function manifestSha256(manifest: Manifest): string {
  const plain = JSON.parse(JSON.stringify(manifest)) as Json;
  return createHash('sha256').update(canonicalJson(plain)).digest('hex');
}

type UnsizedArtifact = Omit<Artifact, 'bytes'>;

/** A version for every image is locked once, unless one of the images has another version. */
function artifactsOf(
  component: FetchedComponent,
  { kubernetes }: Manifest,
  architecture: Architecture,
): UnsizedArtifact[] {
  const { versions } = component;
  if (versions.every((version) => version.kubernetes === undefined)) {
    return versions.map((version) => artifactOf(component, version, architecture));
  }
  return kubernetes.map((patch) => ({
    ...artifactOf(component, versionFor(component, patch), architecture),
    kubernetes: patch,
  }));
}

function artifactOf(
  { name, kind, licence, install }: FetchedComponent,
  { version, sources }: FetchedVersion,
  architecture: Architecture,
): UnsizedArtifact {
  const source = sources[architecture];
  if (!source) throw new Error(`${name} ${version} has no source for ${architecture}`);
  return { component: name, kind, version, ...source, licence, install };
}

/** Downloads everything into the cache and checks it against the manifest's hashes. */
async function verify(
  artifacts: readonly UnsizedArtifact[],
  { cache, signal, onWaiting }: LockDeps,
): Promise<Artifact[]> {
  await cache.fill(artifacts, { signal, onWaiting });
  const sized: Artifact[] = [];
  for (const artifact of artifacts) {
    const { size } = await stat(await cache.open(artifact, { signal }));
    sized.push({ ...artifact, bytes: size });
  }
  return sized;
}

function lockFile({ name, install, content, licence }: FileComponent): LockedFile {
  const sha256 = createHash('sha256').update(content).digest('hex');
  return { component: name, to: install.to, mode: install.mode, sha256, content, licence };
}

function byKindAndName(a: Artifact, b: Artifact): number {
  const keyOf = ({ kind, component, kubernetes = '' }: Artifact) => `${kind}\0${component}\0${kubernetes}`;
  return keyOf(a) < keyOf(b) ? -1 : 1;
}
