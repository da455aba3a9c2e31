// packages/release-sbom.ts: what do the packages of a release contain, in a format that scanners read? CycloneDX 1.6, without times.
import { createHash } from 'node:crypto';
import { PROPERTY, uuidOf } from '../image/report/sbom.ts';
import type { BundledPackage } from './contents.ts';
import type { Product } from './product.ts';

interface ReleaseComponent {
  type: 'application' | 'library';
  'bom-ref': string;
  name: string;
  version: string;
  hashes?: { alg: 'SHA-512'; content: string }[];
  licenses?: { expression: string; acknowledgement: 'declared' }[];
  purl: string;
  properties?: { name: string; value: string }[];
}

/** `runtimes`: the packages of Node.js, which are in the executables and Debian packages only. */
export function makeReleaseSbom(
  product: Product,
  packages: readonly BundledPackage[],
  runtimes: readonly BundledPackage[],
): string {
  const whole: ReleaseComponent = { ...component(product.name, product), type: 'application' };
  const components = [
    ...runtimes.map((one) => ({
      ...component(one.name, one),
      type: 'application' as const,
      properties: [{ name: `${PROPERTY}in`, value: 'executable, Debian package' }],
    })),
    ...packages.map((one) => component(one.name, one)),
  ].sort((a, b) => (a['bom-ref'] < b['bom-ref'] ? -1 : 1));
  const refs = components.map((one) => one['bom-ref']);
  const contentHash = createHash('sha256').update(JSON.stringify(components)).digest('hex');
  const document = {
    $schema: 'http://cyclonedx.org/schema/bom-1.6.schema.json',
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    serialNumber: `urn:uuid:${uuidOf(`${whole['bom-ref']} ${contentHash}`)}`,
    version: 1,
    metadata: { lifecycles: [{ phase: 'build' }], component: whole },
    components,
    dependencies: [{ ref: whole['bom-ref'], dependsOn: refs }],
  };
  return `${JSON.stringify(document, null, 2)}\n`;
}

type ComponentFacts = Pick<BundledPackage, 'version'> & Partial<BundledPackage> & { license?: string };

function component(name: string, { version, licence, license, sha512 }: ComponentFacts): ReleaseComponent {
  const purl = `pkg:npm/${name.replace('@', '%40')}@${version}`;
  const expression = licence ?? license;
  return {
    type: 'library',
    'bom-ref': purl,
    name,
    version,
    ...(sha512 !== undefined && { hashes: [{ alg: 'SHA-512', content: sha512 }] }),
    ...(expression !== undefined && { licenses: [{ expression, acknowledgement: 'declared' }] }),
    purl,
  };
}
