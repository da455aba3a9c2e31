import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { AcceptedDocument } from '../document.ts';
import { anyDocument } from '../documents.testing.ts';
import { provenanceOf } from '../provenance.ts';
import { NODE_CONFIG_VERSIONS } from './convert.ts';
import { FORMAT_NAMES, fieldsOf } from './fields.ts';
import { jsonSchemaOf, type NodeConfigJsonSchema } from './json-schema.ts';

const published = (version: string) => {
  const name = `node-config-${version.split('/')[1]}.json`;
  return readFileSync(new URL(`../../../../docs/schema/${name}`, import.meta.url), 'utf8');
};

describe.each(NODE_CONFIG_VERSIONS)('the JSON Schema of %s', (version) => {
  const schema = jsonSchemaOf(version);

  it('is the published one', () => {
    // To regenerate it: ./headstart node schema --api-version VERSION > docs/schema/node-config-VERSION.json
    expect(JSON.parse(published(version))).toEqual(schema);
  });

  it('accepts every valid document', () => {
    fc.assert(
      fc.property(anyDocument(version), (document) => {
        expect(violations(schema, document, '')).toEqual([]);
      }),
      { numRuns: 100 },
    );
  });

  it('has a description for every field and a name for every format', () => {
    const fields = fieldsOf(version).filter(({ path }) => !/^(?:apiVersion|kind)$/.test(path));
    expect(fields.filter(({ about }) => about === '').map(({ path }) => path)).toEqual([]);
    const formats = new Set(JSON.stringify(schema).match(/(?<="format":")[^"]+/g));
    expect([...formats].filter((format) => FORMAT_NAMES[format] === undefined)).toEqual([]);
  });
});

describe('a secret', () => {
  it('is masked in every field that the schema marks as secret', () => {
    const secrets = fieldsOf('headstart.dev/v1').filter(({ isSecret }) => isSecret);
    expect(secrets.map(({ path }) => path)).toEqual([
      'spec.join.token.token',
      'spec.proxy.http',
      'spec.proxy.https',
      'spec.files.<name>.content',
    ]);
    const spec = {
      join: { token: { token: 'x' } },
      proxy: { http: 'x', https: 'x' },
      files: { name: { content: 'x', secret: true } },
    };
    const leaves = provenanceOf({ effective: { spec }, provenance: new Map() } as unknown as AcceptedDocument);
    const shown = leaves.filter(({ value }) => value === 'x').map(({ path }) => path);
    expect(shown).toEqual([]);
  });
});

/** Covers the part of JSON Schema that our schemas use. */
function violations(schema: NodeConfigJsonSchema, value: unknown, path: string): string[] {
  if (schema.$ref !== undefined) return [];
  if (schema.anyOf !== undefined) {
    const ways = schema.anyOf.map((way) => violations(way as NodeConfigJsonSchema, value, path));
    return ways.some((problems) => problems.length === 0) ? [] : ways.flat();
  }
  const isWrong =
    (schema.const !== undefined && schema.const !== value) ||
    (schema.enum !== undefined && !schema.enum.includes(value as string)) ||
    (schema.pattern !== undefined && !new RegExp(schema.pattern).test(String(value))) ||
    (schema.minimum !== undefined && (value as number) < schema.minimum) ||
    (schema.maximum !== undefined && (value as number) > schema.maximum) ||
    (schema.type === 'integer' && !Number.isInteger(value)) ||
    (schema.type === 'string' && typeof value !== 'string') ||
    (schema.type === 'array' && !Array.isArray(value));
  if (isWrong) return [path];
  if (Array.isArray(value))
    return value.flatMap((item, index) => violations(schema.items as NodeConfigJsonSchema, item, `${path}/${index}`));
  if (typeof value !== 'object' || value === null) return [];
  const missing = (schema.required ?? [])
    .filter((name) => !Object.hasOwn(value, name))
    .map((name) => `${path}/${name}`);
  return missing.concat(
    Object.entries(value).flatMap(([name, item]) => {
      const inside = schema.properties?.[name] ?? schema.additionalProperties;
      if (inside === false || inside === undefined) return [`${path}/${name}`];
      return inside === true ? [] : violations(inside as NodeConfigJsonSchema, item, `${path}/${name}`);
    }),
  );
}
