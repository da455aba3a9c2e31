// image/report/sbom.ts: what does an image contain, in a format that scanners read? CycloneDX 1.6, computed from the lock alone: reproducible.
import { createHash } from 'node:crypto';
import { artifactsOf } from '../lock/content-hash.ts';
import type { Artifact, ImageLock, LockedFile } from '../lock/lock.ts';
import { imageVersionLabel } from '../publish/names.ts';
import type { ContainerImage } from './image-list.ts';
import { purlOf } from './purl.ts';

export interface SbomFacts {
  /** Content hash of the image. The serial number derives from it, so that the document is reproducible. */
  contentSha256: string;
  /** The images whose manifests were read. */
  images?: readonly Pick<ContainerImage, 'component' | 'digest'>[];
}

/** JSON without a timestamp, so that the same lock gives the same bytes. */
export function makeSbom(lock: ImageLock, kubernetes: string, { contentSha256, images = [] }: SbomFacts): string {
  const version = imageVersionLabel(kubernetes, lock.base);
  const image: SbomComponent = {
    type: 'operating-system',
    'bom-ref': `image:${lock.name}@${version}`,
    name: lock.name,
    version,
    hashes: [sha256(contentSha256)],
    properties: properties({
      architecture: lock.architecture,
      kubernetes,
      base: lock.base.origin,
      manifest: lock.manifestSha256,
    }),
  };
  const digests = new Map(images.map(({ component, digest }) => [component, digest]));
  const components = [
    ...artifactsOf(lock, kubernetes).map((artifact) => artifactComponent(artifact, digests.get(artifact.component))),
    ...lock.files.map(fileComponent),
  ].sort((a, b) => (a['bom-ref'] < b['bom-ref'] ? -1 : 1));
  const document: Sbom = {
    $schema: 'http://cyclonedx.org/schema/bom-1.6.schema.json',
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    serialNumber: `urn:uuid:${uuidOf(`${image['bom-ref']} ${contentSha256}`)}`,
    version: 1,
    metadata: { lifecycles: [{ phase: 'build' }], component: image },
    components,
    dependencies: [{ ref: image['bom-ref'], dependsOn: components.map((component) => component['bom-ref']) }],
  };
  return `${JSON.stringify(document, null, 2)}\n`;
}

export interface Sbom {
  $schema: string;
  bomFormat: 'CycloneDX';
  specVersion: '1.6';
  serialNumber: string;
  version: number;
  metadata: { lifecycles: { phase: 'build' }[]; component: SbomComponent };
  components: SbomComponent[];
  dependencies: { ref: string; dependsOn: string[] }[];
}

export interface SbomComponent {
  type: 'operating-system' | 'library' | 'application' | 'container' | 'file';
  'bom-ref': string;
  name: string;
  version?: string;
  hashes: { alg: 'SHA-256'; content: string }[];
  licenses?: { expression: string; acknowledgement: 'declared' }[];
  purl?: string;
  properties: { name: string; value: string }[];
}

/** CycloneDX requires a namespace for custom properties. */
export const PROPERTY = 'headstart:';

const TYPES = { deb: 'library', binary: 'application', archive: 'application', 'oci-image': 'container' } as const;

function artifactComponent(artifact: Artifact, imageDigest: string | undefined): SbomComponent {
  const { kind, component, version, origin, path, install, licence, isAsked } = artifact;
  const purl = purlOf(artifact, imageDigest);
  return {
    type: TYPES[kind],
    'bom-ref': `${kind}:${component}@${version}`,
    name: component,
    version,
    hashes: [sha256(artifact.sha256)],
    ...licensed(licence),
    ...(purl !== undefined && { purl }),
    properties: properties({
      kind,
      origin,
      path,
      bytes: String(artifact.bytes),
      install: install?.to,
      asked: isAsked === undefined ? undefined : String(isAsked),
      digest: imageDigest,
    }),
  };
}

function fileComponent({ component, to, mode, sha256: hash, content, licence }: LockedFile): SbomComponent {
  return {
    type: 'file',
    'bom-ref': `file:${to}`,
    name: component,
    hashes: [sha256(hash)],
    ...licensed(licence),
    properties: properties({
      kind: 'file',
      bytes: String(Buffer.byteLength(content)),
      install: to,
      mode: mode.toString(8).padStart(4, '0'),
    }),
  };
}

/** CycloneDX accepts only SPDX expressions, so an unknown licence is left out. */
function licensed(expression: string): Pick<SbomComponent, 'licenses'> {
  return expression === '' || expression === 'NOASSERTION'
    ? {}
    : { licenses: [{ expression, acknowledgement: 'declared' }] };
}

function sha256(content: string): SbomComponent['hashes'][number] {
  return { alg: 'SHA-256', content };
}

function properties(given: Readonly<Record<string, string | undefined>>): SbomComponent['properties'] {
  return Object.entries(given)
    .filter((one): one is [string, string] => one[1] !== undefined)
    .map(([name, value]) => ({ name: `${PROPERTY}${name}`, value }));
}

/** UUID version 8 leaves all other bits to the implementation. */
export function uuidOf(text: string): string {
  const hash = createHash('sha256').update(text).digest('hex');
  const variant = ((Number.parseInt(hash.charAt(16), 16) & 3) | 8).toString(16);
  return `${hash.slice(0, 8)}-${hash.slice(8, 12)}-8${hash.slice(13, 16)}-${variant}${hash.slice(17, 20)}-${hash.slice(20, 32)}`;
}
