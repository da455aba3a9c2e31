// image/update/plan-update.ts: which newer versions does each component's update policy allow, and how must the manifest be edited?

import type { ImageLock } from '../lock/lock.ts';
import type { PackageIndex } from '../lock/package-index.ts';
import { compareComponentVersions } from '../manifest/compare-versions.ts';
import type { Architecture, Component, FetchedComponent, Manifest } from '../manifest/manifest.ts';
import type { AvailableVersion, AvailableVersions } from './available.ts';
import { bestOf } from './update-policy.ts';

/** An edit of the manifest's text: set the value at `path`, or append an entry to the list at `path`. */
export interface ManifestEdit {
  do: 'set' | 'append';
  path: readonly (string | number)[];
  value: unknown;
}

export interface Proposal {
  /** `kubernetes` adds a patch version, and that version of every component that follows Kubernetes. */
  component: string;
  kind: Component['kind'] | 'kubernetes';
  from: string;
  to: string;
  policy: Component['update'];
  /** Empty if the version in the manifest is a wildcard: then only the lock changes. */
  edits: readonly ManifestEdit[];
}

export interface UpdateSources {
  lock: ImageLock | undefined;
  index: PackageIndex;
  available: AvailableVersions;
}

export function planUpdates(manifest: Manifest, sources: UpdateSources): Proposal[] {
  return [
    ...manifest.components.flatMap((component, at) => {
      if (component.kind === 'file') return [];
      return component.kind === 'deb'
        ? debUpdate(component, at, sources)
        : fetchedUpdates(component, at, manifest, sources);
    }),
    ...kubernetesUpdates(manifest, sources),
  ];
}

function debUpdate(component: Component & { kind: 'deb' }, at: number, { lock, index }: UpdateSources): Proposal[] {
  const { name, kind, version, update: policy } = component;
  const isOpen = version.endsWith('*');
  const locked = lock?.artifacts.find((artifact) => artifact.kind === kind && artifact.component === name)?.version;
  const from = isOpen ? locked : version;
  if (from === undefined) return []; // nothing is locked yet
  const fitting = (index.get(name) ?? []).filter((each) => !isOpen || each.version.startsWith(version.slice(0, -1)));
  const to = bestOf(policy, kind, from, fitting)?.version;
  if (to === undefined) return [];
  const edits: ManifestEdit[] = isOpen ? [] : [{ do: 'set', path: ['components', at, 'version'], value: to }];
  return [{ component: name, kind, from, to, policy, edits }];
}

function fetchedUpdates(
  component: FetchedComponent,
  at: number,
  manifest: Manifest,
  { available }: UpdateSources,
): Proposal[] {
  const { name, kind, update: policy } = component;
  return component.versions.flatMap((version, which) => {
    if (followsKubernetes(version)) return [];
    const best = bestOf(policy, kind, version.version, complete(available.get(name) ?? [], manifest));
    if (!best) return [];
    const path = ['components', at, 'versions', which] as const;
    const edits: ManifestEdit[] = [
      { do: 'set', path: [...path, 'version'], value: best.version },
      ...Object.entries(best.sources)
        .filter(([architecture]) => version.sources[architecture as Architecture])
        .flatMap(([architecture, source]): ManifestEdit[] => [
          { do: 'set', path: [...path, 'sources', architecture, 'path'], value: source.path },
          { do: 'set', path: [...path, 'sources', architecture, 'sha256'], value: source.sha256 },
        ]),
    ];
    return [{ component: name, kind, from: version.version, to: best.version, policy, edits }];
  });
}

/** Proposes an image for each minor that has a newer patch, if all components that follow Kubernetes have it. Users remove old versions themselves. */
function kubernetesUpdates(manifest: Manifest, { available }: UpdateSources): Proposal[] {
  const bound = manifest.components.flatMap((component, at) =>
    component.kind !== 'deb' && component.kind !== 'file' && component.versions.some(followsKubernetes)
      ? [{ component, at }]
      : [],
  );
  if (bound.length === 0 || bound.some(({ component }) => component.update === 'frozen')) return [];
  const newestOfMinor = [
    ...Map.groupBy(manifest.kubernetes, (version) => version.replace(/\.\d+(?:-.*)?$/, '')).values(),
  ].map((versions) => versions.toSorted((a, b) => compareComponentVersions('binary', b, a))[0]!);
  return newestOfMinor.flatMap((from) => {
    const offers = bound.map(({ component }) => complete(available.get(component.name) ?? [], manifest));
    const everywhere = offers[0]!.filter(({ version }) =>
      offers.every((each) => each.some((other) => other.version === version)),
    );
    const to = bestOf('patch', 'binary', from, everywhere)?.version;
    if (to === undefined) return [];
    const edits: ManifestEdit[] = bound.map(({ component, at }, i) => ({
      do: 'append',
      path: ['components', at, 'versions'],
      value: {
        version: to,
        kubernetes: to,
        sources: withOrigins(component, offers[i]!.find(({ version }) => version === to)!),
      },
    }));
    return [
      {
        component: 'kubernetes',
        kind: 'kubernetes',
        from,
        to,
        policy: 'patch',
        edits: [{ do: 'append', path: ['kubernetes'], value: to }, ...edits],
      },
    ];
  });
}

function followsKubernetes({ version, kubernetes }: { version: string; kubernetes?: string | undefined }): boolean {
  return kubernetes !== undefined && version.replace(/^v/, '') === kubernetes;
}

/** The versions with a source for every architecture. */
function complete(offers: readonly AvailableVersion[], { architectures }: Manifest): AvailableVersion[] {
  return offers.filter(({ sources }) => architectures.every((architecture) => sources[architecture]));
}

function withOrigins({ versions }: FetchedComponent, { sources }: AvailableVersion): Record<string, unknown> {
  const known = versions.at(-1)!.sources;
  return Object.fromEntries(
    Object.entries(sources).map(([architecture, source]) => [
      architecture,
      { origin: known[architecture as Architecture]?.origin, ...source },
    ]),
  );
}
