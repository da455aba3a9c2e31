// node/document/documents.testing.ts: documents for tests: a valid one, and an arbitrary generated from the JSON Schema.
import fc from 'fast-check';
import { isObject, type Json, type JsonObject } from '../../schema/json.ts';
import type { ImageFacts } from '../observe/facts.ts';
import type { DocumentContext } from './document.ts';
import type { ApiVersion } from './schema/convert.ts';
import { OWN_FLAGS } from './schema/formats.ts';
import { jsonSchemaOf, type NodeConfigJsonSchema } from './schema/json-schema.ts';

export const NOW_MS = Date.UTC(2026, 10, 16, 2, 0);

export const anImage: ImageFacts = {
  name: 'debian-12',
  version: '1.34.2-2026.11.16',
  kubernetesVersion: '1.34.2',
  containerdVersion: '2.1.4',
  configApiVersions: ['headstart.dev/v1alpha1', 'headstart.dev/v1'],
  cniBinDir: '/opt/cni/bin',
  defaults: {},
  signers: [],
};

export const aDocumentContext: DocumentContext = {
  image: anImage,
  machine: { cpus: 4, memoryBytes: 16 * 2 ** 30 },
  nowMs: NOW_MS,
};

/** Generated for these tests; valid for a hundred years. */
export const CERTIFICATE = `-----BEGIN CERTIFICATE-----
MIIBgDCCASWgAwIBAgIUfA8cFvaQC8O8jx2NPYEP/yUkQLkwCgYIKoZIzj0EAwIw
FDESMBAGA1UEAwwJdGVzdC1jYS0xMCAXDTI2MTExNjAyMDAyNFoYDzIxMjYxMDIz
MDIwMDI0WjAUMRIwEAYDVQQDDAl0ZXN0LWNhLTEwWTATBgcqhkjOPQIBBggqhkjO
PQMBBwNCAAT1QQLeJ/eCf1FeVSzU8UsPw9dHXxFLKuPTGnoshfsWy0b4kMXi2Um0
2szrB0yYKvebBJ3E4zMV8dih+7GYaVddo1MwUTAdBgNVHQ4EFgQUw0KVGSXittC8
jCz11PjQ+ito1wwwHwYDVR0jBBgwFoAUw0KVGSXittC8jCz11PjQ+ito1wwwDwYD
VR0TAQH/BAUwAwEB/zAKBggqhkjOPQQDAgNJADBGAiEAuCYjhg/mLj7atkmq5gk4
J0vyjgFTjCDf4D58tMCNwRkCIQCOlb5BFwOdHU3ADNwlWvfcvazNDYRdCtaid03r
JkZ53Q==
-----END CERTIFICATE-----
`;

/** A v1 document with this spec and the Kubernetes version of the image. */
export function aDocument(spec: JsonObject = {}, metadata: JsonObject = {}): JsonObject {
  return {
    apiVersion: 'headstart.dev/v1',
    kind: 'NodeConfig',
    metadata: { generation: 1, ...metadata },
    spec: { kubernetes: { version: '1.34.2' }, ...spec },
  };
}

export function bytesOf(document: Json): Uint8Array {
  return Buffer.from(JSON.stringify(document));
}

export const aCluster: JsonObject = {
  name: 'lab',
  endpoint: 'https://10.0.2.2:6443',
  certificateAuthority: CERTIFICATE,
  dns: { addresses: ['10.96.0.10'] },
  serviceCidrs: ['10.96.0.0/12'],
};

/** Any valid document. */
export function anyDocument(version: ApiVersion): fc.Arbitrary<JsonObject> {
  const schema = jsonSchemaOf(version);
  return (arbitraryOf(schema, []) as fc.Arbitrary<JsonObject>).map((document) => {
    const { cluster, join, ...spec } = document.spec as JsonObject;
    return { ...document, spec: cluster === undefined || join === undefined ? spec : { ...spec, cluster, join } };
  });
}

const number = fc.integer({ min: 1, max: 4000 });
const expressions = fc.oneof(
  number.map((n) => `= min(${n}, cpu * 10)`),
  number.map((n) => `=max(1,${n}/2)+cpu`),
);
const memoryExpressions = fc.oneof(
  number.map((n) => `= ${n}Mi + 11Mi * cpu`),
  fc.constant('= memory / 8'),
);
const label = fc.stringMatching(/^[a-z][a-z0-9]{0,8}$/);
const domain = fc.stringMatching(/^[a-z][a-z0-9]{0,6}\.(?:com|org)$/);
const urls = fc.tuple(fc.constantFrom('http', 'https'), domain).map(([protocol, host]) => `${protocol}://${host}:8080`);

/** Formats that are more than a pattern. */
const FORMATS: Readonly<Record<string, fc.Arbitrary<string>>> = {
  ip: fc.oneof(fc.ipV4(), fc.constantFrom('::1', 'fd00::a:1')),
  cidr: fc.tuple(fc.ipV4(), fc.integer({ min: 0, max: 32 })).map(([base, bits]) => `${base}/${bits}`),
  server: fc.oneof(domain, fc.ipV4()),
  'date-time': fc
    .date({ min: new Date('2020-01-01'), max: new Date('2099-01-01'), noInvalidDate: true })
    .map((date) => date.toISOString()),
  'writable-path': fc
    .tuple(fc.constantFrom('/etc', '/opt/x', '/usr/local/bin'), label)
    .map((parts) => parts.join('/file-')),
  'unit-name': label.map((name) => `app-${name}.service`),
  'label-key': fc.oneof(
    label,
    label.map((name) => `example.com/${name}`),
    fc.constant('node.kubernetes.io/pool'),
  ),
  'taint-key': label.map((name) => `example.com/${name}`),
  endpoint: domain.map((host) => `https://${host}:6443`),
  'http-url': urls,
  'proxy-url': fc.oneof(urls, fc.constant('http://user:pass@proxy.example.com:3128')),
  'pem-certificates': fc.constantFrom(CERTIFICATE, `${CERTIFICATE}${CERTIFICATE}`),
  'kubelet-flag': label.filter((name) => !OWN_FLAGS.includes(name)).map((name) => `x-${name}`),
  span: fc.oneof(
    fc.integer({ min: 60, max: 3600 }).map((seconds) => `${seconds}s`),
    fc.integer({ min: 1, max: 60 }).map((minutes) => `${minutes}min`),
    fc.integer({ min: 60_000, max: 3_600_000 }).map((ms) => `${ms}ms`),
    fc.constantFrom('1h', '1min 30s', '90.5s'),
  ),
  'expression-number': expressions,
  bytes: fc.oneof(
    number.map((n) => `${n}Mi`),
    memoryExpressions,
  ),
  cpu: fc.oneof(
    number.map((n) => `${n}m`),
    expressions,
  ),
};

/** Fields that depend on each other. Undefined: left out. */
const FITTING: Readonly<Record<string, fc.Arbitrary<Json> | undefined>> = {
  signature: undefined,
  'metadata.extra': undefined,
  'metadata.notBefore': undefined,
  'metadata.expires': undefined,
  'spec.kubernetes.version': fc.constant('1.34.2'),
  'spec.network.nodeIp': fc.constantFrom('primary', 'kubelet'),
  'spec.network.nodeAddresses': undefined,
  'spec.containerd.defaultRuntime': fc.constant('runc'),
  'spec.kubelet.imageGcHighPercent': fc.integer({ min: 80, max: 100 }),
  'spec.kubelet.imageGcLowPercent': fc.integer({ min: 0, max: 79 }),
  'spec.files.*.encoding': fc.constant('utf8'),
};

function arbitraryOf(schema: NodeConfigJsonSchema, path: readonly string[]): fc.Arbitrary<Json> {
  const fitting = FITTING[path.join('.')];
  if (fitting !== undefined) return fitting;
  if (schema.$ref !== undefined) return fc.jsonValue({ maxDepth: 2 }).map(asWritten);
  if (schema.const !== undefined) return fc.constant(schema.const as Json);
  if (schema.enum !== undefined) return fc.constantFrom(...(schema.enum as Json[]));
  if (schema.anyOf !== undefined)
    return fc.oneof(...schema.anyOf.map((way) => arbitraryOf(way as NodeConfigJsonSchema, path)));
  switch (schema.type) {
    case 'boolean':
      return fc.boolean();
    case 'integer':
    case 'number':
      return fc.integer({ min: Math.max(schema.minimum!, -(2 ** 31)), max: Math.min(schema.maximum!, 2 ** 31 - 1) });
    case 'array':
      return listOf(schema, path);
    case 'object':
      return schema.properties === undefined ? mapOf(schema, path) : objectOf(schema, path);
    default:
      return textOf(schema);
  }
}

/** A __proto__ key would make the document invalid. */
function asWritten(value: unknown): Json {
  return JSON.parse(JSON.stringify(value), (key, inner) => (key === '__proto__' ? undefined : inner));
}

function textOf({ format, pattern, maxLength = 1000 }: NodeConfigJsonSchema): fc.Arbitrary<string> {
  if (format !== undefined) return FORMATS[format]!;
  if (pattern === undefined) return label;
  return fc.stringMatching(new RegExp(pattern), { size: 'small' }).filter((text) => text.length <= maxLength);
}

/** Entries are unique by name, path, or key and effect. */
function listOf(
  { items, minItems = 0, maxItems = 3 }: NodeConfigJsonSchema,
  path: readonly string[],
): fc.Arbitrary<Json> {
  return fc.uniqueArray(arbitraryOf(items as NodeConfigJsonSchema, [...path, '*']), {
    minLength: minItems,
    maxLength: Math.min(maxItems, 3),
    selector: (item) =>
      isObject(item) ? JSON.stringify([item.name, item.path, item.key, item.effect, item.url]) : item,
  });
}

function mapOf(
  { propertyNames, additionalProperties }: NodeConfigJsonSchema,
  path: readonly string[],
): fc.Arbitrary<Json> {
  const names = textOf(propertyNames as NodeConfigJsonSchema).filter((name) => name !== '__proto__');
  const values = arbitraryOf(additionalProperties as NodeConfigJsonSchema, [...path, '*']);
  return fc.dictionary(names, values, { maxKeys: 3, noNullPrototype: true });
}

function objectOf({ properties, required = [] }: NodeConfigJsonSchema, path: readonly string[]): fc.Arbitrary<Json> {
  const fields = Object.entries(properties!).flatMap(([name, field]) => {
    const inside = [...path, name];
    const isLeftOut = Object.hasOwn(FITTING, inside.join('.')) && FITTING[inside.join('.')] === undefined;
    return isLeftOut ? [] : [[name, arbitraryOf(field as NodeConfigJsonSchema, inside)] as const];
  });
  if (path.join('.') === 'spec.join') {
    return fc.oneof(...fields.map(([name, way]) => way.map((value): Json => ({ [name]: value }))));
  }
  const arbitraries: Record<string, fc.Arbitrary<Json>> = Object.fromEntries(fields);
  return fc.record(arbitraries, { requiredKeys: required, noNullPrototype: true }) as fc.Arbitrary<Json>;
}
