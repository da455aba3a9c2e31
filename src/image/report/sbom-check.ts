// image/report/sbom-check.ts: does the SBOM match the image? Compares it with dpkg's status and the hashes of the files.
import { z } from 'zod';
import { PROPERTY } from './sbom.ts';

export interface GuestContent {
  /** `/var/lib/dpkg/status`. */
  dpkgStatus: string;
  /** sha256 by path, of the paths that `pathsIn` returns; missing files have no entry. */
  files: ReadonlyMap<string, string>;
}

export interface SbomDifference {
  what: string;
  listed?: string;
  found?: string;
}

/** Empty if they match. */
export function checkSbom(sbomText: string, found: GuestContent): SbomDifference[] {
  const sbom = schema.parse(JSON.parse(sbomText));
  const listed = new Map(
    sbom.components
      .filter((component) => property(component, 'kind') === 'deb')
      .map(({ name, version, purl }) => [name, `${version} ${archOf(purl)}`]),
  );
  return [
    ...packageDifferences(listed, installedIn(found.dpkgStatus)),
    ...fileDifferences(sbom.components, found.files),
  ];
}

/** The files to hash for the check: those that the build installs unchanged. */
export function pathsIn(sbomText: string): string[] {
  return placed(schema.parse(JSON.parse(sbomText)).components).map(({ path }) => path);
}

const schema = z.object({
  components: z.array(
    z.object({
      name: z.string(),
      version: z.string().optional(),
      purl: z.string().optional(),
      hashes: z.array(z.object({ alg: z.literal('SHA-256'), content: z.string() })),
      properties: z.array(z.object({ name: z.string(), value: z.string() })),
    }),
  ),
});
type BomComponent = z.infer<typeof schema>['components'][number];

function packageDifferences(listed: ReadonlyMap<string, string>, found: ReadonlyMap<string, string>): SbomDifference[] {
  return [...new Set([...listed.keys(), ...found.keys()])]
    .sort()
    .filter((name) => listed.get(name) !== found.get(name))
    .map((name) => ({ what: `package ${name}`, ...sides(listed.get(name), found.get(name)) }));
}

function fileDifferences(components: readonly BomComponent[], found: ReadonlyMap<string, string>): SbomDifference[] {
  return placed(components)
    .filter(({ path, sha256 }) => found.get(path) !== sha256)
    .map(({ path, sha256 }) => ({ what: `file ${path}`, ...sides(sha256, found.get(path)) }));
}

function placed(components: readonly BomComponent[]): { path: string; sha256: string | undefined }[] {
  return components
    .filter((component) => ['binary', 'file'].includes(property(component, 'kind') ?? ''))
    .map((component) => ({ path: property(component, 'install') ?? '', sha256: component.hashes[0]?.content }))
    .filter(({ path }) => path !== '')
    .sort((a, b) => (a.path < b.path ? -1 : 1));
}

/** One stanza per package. Packages that were removed but not purged have one too. */
function installedIn(status: string): Map<string, string> {
  const installed = new Map<string, string>();
  for (const stanza of status.split(/\n\s*\n/)) {
    const field = (name: string) => new RegExp(`^${name}: *(.*)$`, 'm').exec(stanza)?.[1]?.trim();
    const name = field('Package');
    if (name && field('Status')?.endsWith(' installed'))
      installed.set(name, `${field('Version') ?? ''} ${field('Architecture') ?? ''}`);
  }
  return installed;
}

function archOf(purl: string | undefined): string {
  return /[?&]arch=([a-z0-9]+)/.exec(purl ?? '')?.[1] ?? '';
}

function property({ properties }: BomComponent, name: string): string | undefined {
  return properties.find((one) => one.name === `${PROPERTY}${name}`)?.value;
}

function sides(listed: string | undefined, found: string | undefined): Omit<SbomDifference, 'what'> {
  return { ...(listed !== undefined && { listed }), ...(found !== undefined && { found }) };
}
