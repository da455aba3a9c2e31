// image/update/available.ts: which versions of a fetched component are available? Read from a file, or from a folder that serves as a mirror.
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import * as z from 'zod/mini';
import { UserError } from '../../base/errors.ts';
import { whyUnreadable } from '../../base/why-unreadable.ts';
import { checksumFile } from '../../host/file-sum.ts';
import { isMissing } from '../../host/json-file.ts';
import { checkValue } from '../../schema/check.ts';
import { line } from '../../schema/formats.ts';
import type { Json } from '../../schema/json.ts';
import { renderProblem } from '../../schema/problem.ts';
import type { Mirrors } from '../fetch/mirrors.ts';
import { belowOrigin, sha256Format } from '../manifest/formats.ts';
import type { Architecture, ArtifactSource, FetchedComponent } from '../manifest/manifest.ts';
import { isProposable } from './update-policy.ts';

export interface AvailableVersion {
  version: string;
  sources: Readonly<Partial<Record<Architecture, Pick<ArtifactSource, 'path' | 'sha256'>>>>;
}

/** By component. */
export type AvailableVersions = ReadonlyMap<string, readonly AvailableVersion[]>;

const byArchitecture = <S extends z.ZodMiniType>(schema: () => S) =>
  z.strictObject({ amd64: z.optional(schema()), arm64: z.optional(schema()) });
const schema = z.record(
  line(100),
  z.array(
    z.strictObject({
      version: line(128),
      sha256: byArchitecture(sha256Format),
      path: z.optional(byArchitecture(belowOrigin)),
    }),
  ),
);

/** `kubelet: [{version: 1.35.9, sha256: {amd64: …}}]`; the default path is the current one with the version replaced. */
export async function readAvailable(file: string, components: readonly FetchedComponent[]): Promise<AvailableVersions> {
  const yaml = await import('yaml');
  const document = yaml.parseDocument(readText(file), { prettyErrors: false, version: '1.2' });
  const { value, problems, missing, unknown } = checkValue(
    schema,
    document.errors.length > 0 ? null : (document.toJS({ maxAliasCount: 0 }) as Json),
  );
  const all = [...problems, ...missing, ...unknown];
  if (value === undefined || all.length > 0) {
    const lines = all.map((problem) => `         ${renderProblem(problem)}`);
    throw bad(`${file} is not a valid list of versions:\n${lines.join('\n')}`);
  }
  return new Map(
    components.flatMap((component): [string, AvailableVersion[]][] => {
      const offered = Object.hasOwn(value, component.name) ? value[component.name]! : [];
      return [
        [
          component.name,
          offered.map(({ version, sha256: hashes, path }) => ({
            version,
            sources: sourcesOf(component, version, hashes, path ?? {}),
          })),
        ],
      ];
    }),
  );
}

type ByArchitecture<T> = Readonly<Partial<Record<Architecture, T | undefined>>>;

function sourcesOf(
  component: FetchedComponent,
  version: string,
  hashes: ByArchitecture<string>,
  paths: ByArchitecture<string>,
): AvailableVersion['sources'] {
  const known = component.versions.at(-1)!;
  return Object.fromEntries(
    (['amd64', 'arm64'] as const).flatMap((architecture) => {
      const hash = hashes[architecture];
      const path = paths[architecture] ?? known.sources[architecture]?.path.replaceAll(known.version, version);
      return hash === undefined || path === undefined ? [] : [[architecture, { path, sha256: hash }]];
    }),
  );
}

/** Reads only mirrors that are local folders, and only versions that the policy allows, because it hashes every file. */
export async function listMirrors(
  components: readonly FetchedComponent[],
  mirrors: Mirrors,
  signal?: AbortSignal,
): Promise<AvailableVersions> {
  const available = new Map<string, AvailableVersion[]>();
  for (const component of components) {
    const offers: AvailableVersion[] = [];
    for (const version of versionsIn(component, mirrors)) {
      const sources: [Architecture, Pick<ArtifactSource, 'path' | 'sha256'>][] = [];
      for (const [architecture, { origin, path }] of knownSources(component)) {
        const there = path.replaceAll(component.versions.at(-1)!.version, version);
        const file = join(mirrors.baseOf(origin)?.reveal() ?? '', there);
        if (isFile(file))
          sources.push([architecture, { path: there, sha256: (await checksumFile(file, signal)).sha256 }]);
      }
      offers.push({ version, sources: Object.fromEntries(sources) });
    }
    available.set(component.name, offers);
  }
  return available;
}

function versionsIn(component: FetchedComponent, mirrors: Mirrors): Set<string> {
  const { version: known } = component.versions.at(-1)!;
  return new Set(
    knownSources(component).flatMap(([, { origin, path }]) => {
      const base = mirrors.baseOf(origin)?.reveal();
      const parts = path.split('/');
      const at = parts.findIndex((part) => part.includes(known));
      if (base === undefined || !isAbsolute(base) || at < 0) return [];
      const [before, after] = parts[at]!.split(known) as [string, string];
      return namesIn(join(base, ...parts.slice(0, at)))
        .filter((name) => name.startsWith(before) && name.endsWith(after) && name.length > before.length + after.length)
        .map((name) => name.slice(before.length, name.length - after.length))
        .filter(
          (version) =>
            /^\d[0-9A-Za-z.+-]*$/.test(version) &&
            component.versions.some((each) => isProposable(component.update, component.kind, each.version, version)),
        );
    }),
  );
}

function knownSources({ versions }: FetchedComponent): [Architecture, ArtifactSource][] {
  const { sources } = versions.at(-1)!;
  return (['amd64', 'arm64'] as const).flatMap((architecture) => {
    const source = sources[architecture];
    return source ? [[architecture, source] as [Architecture, ArtifactSource]] : [];
  });
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder).sort();
  } catch (error) {
    if (isMissing(error)) return [];
    throw error;
  }
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() === true;
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (cause) {
    throw bad(`${file} cannot be read: ${whyUnreadable(cause)}`, cause);
  }
}

function bad(message: string, cause?: unknown): UserError {
  return new UserError(message, {
    code: 'image/bad-available',
    next: 'write for example `kubelet: [{version: 1.35.9, sha256: {amd64: …}}]`',
    cause,
  });
}
