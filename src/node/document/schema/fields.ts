// node/document/schema/fields.ts: which fields does a version of the document have? One row per field, from the JSON Schema, for
// `headstart node schema --fields` and the tables in docs/node-config.md.
import type { ApiVersion } from './convert.ts';
import { jsonSchemaOf, type NodeConfigJsonSchema } from './json-schema.ts';

export interface Field {
  /** `spec.files.<name>.mode`, `spec.taints[].key`. */
  path: string;
  /** The accepted values, in words. */
  takes: string;
  isRequired: boolean;
  /** As JSON; undefined: none. */
  default?: string;
  isSecret: boolean;
  about: string;
}

/** In the order of the schema. An object field has a row only if it has a description. */
export function fieldsOf(version: ApiVersion): Field[] {
  return rowsOf(jsonSchemaOf(version), '');
}

function rowsOf({ properties = {}, required = [] }: NodeConfigJsonSchema, path: string): Field[] {
  return Object.entries(properties).flatMap(([name, given]) => {
    const schema = given as NodeConfigJsonSchema;
    const inside = path === '' ? name : `${path}.${name}`;
    const below = rowsBelow(schema, inside);
    const isSection = schema.properties !== undefined && below.length > 0;
    return isSection && schema.description === undefined
      ? below
      : [rowOf(schema, inside, required.includes(name)), ...below];
  });
}

function rowsBelow(schema: NodeConfigJsonSchema, path: string): Field[] {
  const { items, additionalProperties } = schema;
  if (schema.properties !== undefined) return rowsOf(schema, path);
  if (typeof items === 'object') return rowsOf(items as NodeConfigJsonSchema, `${path}[]`);
  return typeof additionalProperties === 'object' ? rowsOf(additionalProperties, `${path}.<name>`) : [];
}

function rowOf(schema: NodeConfigJsonSchema, path: string, isRequired: boolean): Field {
  return {
    path,
    takes: takes(schema),
    isRequired,
    ...(schema.default !== undefined && { default: JSON.stringify(schema.default) }),
    isSecret: schema.writeOnly === true,
    about: schema.description ?? '',
  };
}

/** Every format needs a name here; a test checks that. */
export const FORMAT_NAMES: Readonly<Record<string, string>> = {
  ip: 'address',
  cidr: 'address range',
  server: 'address or domain',
  'date-time': 'time',
  'writable-path': 'path',
  'unit-name': 'unit',
  'label-key': 'label',
  'taint-key': 'key',
  endpoint: 'https URL',
  'http-url': 'URL',
  'proxy-url': 'URL',
  'pem-certificates': 'certificates',
  'kubelet-flag': 'flag',
  span: 'span',
  'expression-number': 'expression',
  bytes: 'memory',
  cpu: 'CPU',
};

function takes(schema: NodeConfigJsonSchema): string {
  if (schema.const !== undefined) return `\`${schema.const}\``;
  if (schema.enum !== undefined) return schema.enum.map((value) => `\`${value}\``).join(', ');
  if (schema.anyOf !== undefined) return eitherOf(schema.anyOf as NodeConfigJsonSchema[]);
  if (schema.format !== undefined) return FORMAT_NAMES[schema.format] ?? schema.format;
  switch (schema.type) {
    case 'integer':
    case 'number':
      return range(schema);
    case 'boolean':
      return '`true`, `false`';
    case 'array':
      return `list of ${takes(schema.items as NodeConfigJsonSchema)}`;
    case 'object':
      return schema.properties === undefined ? mapOf(schema) : 'map';
    default:
      return 'text';
  }
}

/** A format of amounts also accepts plain numbers, so its name alone is enough. */
function eitherOf(ways: readonly NodeConfigJsonSchema[]): string {
  const amount = ways.find(({ format }) => format === 'bytes' || format === 'cpu');
  return amount ? takes(amount) : ways.map(takes).join(' or ');
}

function range({ minimum, maximum }: NodeConfigJsonSchema): string {
  const upTo = maximum === undefined || maximum >= 2 ** 40 ? ' or more' : ` to ${maximum}`;
  return minimum === undefined || minimum <= -(2 ** 40) ? 'number' : `${minimum}${upTo}`;
}

function mapOf({ additionalProperties }: NodeConfigJsonSchema): string {
  const inside = additionalProperties as NodeConfigJsonSchema;
  return inside.$ref === undefined ? `map of ${takes(inside)}` : 'anything';
}
