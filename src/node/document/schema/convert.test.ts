import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checkValue } from '../../../schema/check.ts';
import type { Json, JsonObject } from '../../../schema/json.ts';
import { parseDocument } from '../document.ts';
import { aDocument, aDocumentContext, anyDocument, bytesOf } from '../documents.testing.ts';
import { type ApiVersion, convert, NODE_CONFIG_VERSIONS } from './convert.ts';
import { jsonSchemaOf, type NodeConfigJsonSchema } from './json-schema.ts';
import { nodeConfigV1 } from './v1.ts';
import { nodeConfigV1alpha1 } from './v1alpha1.ts';

const big = { ...aDocumentContext, maxBytes: 1 << 20 };
const other = (version: ApiVersion) => NODE_CONFIG_VERSIONS.find((one) => one !== version)!;
const schemaOf = (version: ApiVersion) => (version === 'headstart.dev/v1' ? nodeConfigV1 : nodeConfigV1alpha1);

describe.each(NODE_CONFIG_VERSIONS)('converting a document of %s', (version) => {
  const documents = anyDocument(version);

  it('and converting it back gives the same document', () => {
    fc.assert(
      fc.property(documents, (document) => {
        const there = convert(document, other(version));
        expect(there.apiVersion).toBe(other(version));
        expect(convert(there, version)).toEqual(document);
      }),
      { numRuns: 100 },
    );
  });

  it('gives a valid document of the other version', () => {
    fc.assert(
      fc.property(documents, (document) => {
        const { problems, missing, unknown } = checkValue(schemaOf(other(version)), convert(document, other(version)));
        expect({ problems, missing, unknown }).toEqual({ problems: [], missing: [], unknown: [] });
      }),
      { numRuns: 100 },
    );
  });

  it('gives the same configuration', async () => {
    await fc.assert(
      fc.asyncProperty(documents, async (document) => {
        const there = convert(document, other(version));
        const [one, two] = [await parseDocument(bytesOf(document), big), await parseDocument(bytesOf(there), big)];
        expect(one.outcome).toBe('accepted');
        expect(two).toEqual(one);
      }),
      { numRuns: 60 },
    );
  });

  it('and converting it back gives the same document, even an invalid one', () => {
    const anything = fc.dictionary(fc.string(), fc.jsonValue() as fc.Arbitrary<Json>, { noNullPrototype: true });
    const places = ['cluster', 'kubelet', 'labels', 'taints', 'os', 'files', 'units', 'update', 'constructor'];
    const specs = fc.dictionary(fc.constantFrom(...places), fc.oneof(anything, fc.jsonValue() as fc.Arbitrary<Json>), {
      noNullPrototype: true,
    });
    const metadata = anything.map((more) => ({ ...more, generation: 1 }));
    const odd = fc.record({ apiVersion: fc.constant(version), metadata, spec: specs }, { noNullPrototype: true });
    fc.assert(
      fc.property(odd, (document) => {
        const plain = JSON.parse(JSON.stringify(document)) as JsonObject;
        expect(convert(convert(plain, other(version)), version)).toEqual(plain);
      }),
      { numRuns: 300 },
    );
  });
});

describe('a list of names that v1 has as keys', () => {
  it('accepts no name that cannot be a key', async () => {
    const document = { ...aDocument({ os: { modules: ['__proto__'] } }), apiVersion: 'headstart.dev/v1alpha1' };
    expect(await parseDocument(bytesOf(document), big)).toMatchObject({ outcome: 'refused' });
  });
});

describe('what the target version cannot express', () => {
  const exact = aDocument({ update: { jitter: '90.5s', window: { start: '02:00', duration: '1h' } } });

  it('is kept in metadata.extra with its replacement', () => {
    const alpha = convert(exact, 'headstart.dev/v1alpha1');
    expect(alpha).toMatchObject({
      metadata: {
        extra: {
          'headstart.dev/v1': [
            { at: '/spec/update/jitter', was: '90.5s', as: '91s' },
            { at: '/spec/update/window', was: { start: '02:00', duration: '1h' } },
          ],
        },
      },
      spec: { update: { jitterSeconds: 91 } },
    });
  });

  it('does not override a later edit', () => {
    const alpha = convert(exact, 'headstart.dev/v1alpha1') as { spec: JsonObject } & JsonObject;
    const edited = { ...alpha, spec: { ...alpha.spec, update: { jitterSeconds: 30 } } };
    expect(convert(edited, 'headstart.dev/v1')).toMatchObject({
      spec: { update: { jitter: '30s', window: { start: '02:00' } } },
    });
  });

  it('does not include a field of the other version, which is unknown and has no effect', async () => {
    const alpha = {
      ...aDocument({ labels: { a: 'b' }, update: { window: { start: '02:00', duration: '1h' } } }),
      apiVersion: 'headstart.dev/v1alpha1',
    };
    const parsed = await parseDocument(bytesOf(alpha), aDocumentContext);
    expect(parsed).toMatchObject({ outcome: 'accepted', config: { labels: {}, update: { window: undefined } } });
    expect(parsed.warnings.map(({ path }) => path)).toEqual(['spec.update.window', 'spec.labels']);
  });

  it.each([
    ['not a list', 7],
    ['a list of other values', [7, { at: 3 }, { at: '' }, { at: '/spec', was: 1, as: 2 }]],
    [
      'hostile names',
      [
        { at: '/__proto__/polluted', was: true },
        { at: '/constructor/prototype/polluted', was: true },
      ],
    ],
  ])('is ignored if it is %s', (_, kept) => {
    const document = aDocument({}, { extra: { 'headstart.dev/v1alpha1': kept as Json } });
    expect(() => convert(document, 'headstart.dev/v1alpha1')).not.toThrow();
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
  });
});

describe('the two versions', () => {
  it('differ only in fields that have a conversion rule', () => {
    const [alpha, v1] = NODE_CONFIG_VERSIONS.map((version) => fieldsOf(jsonSchemaOf(version), ''));
    const onlyIn = (one: Set<string>, two: Set<string>) => [...one].filter((path) => !two.has(path)).sort();
    expect(onlyIn(alpha!, v1!)).toEqual([
      'spec.cluster.caBundle',
      'spec.files[].content',
      'spec.files[].encoding',
      'spec.files[].group',
      'spec.files[].mode',
      'spec.files[].owner',
      'spec.files[].path',
      'spec.files[].secret',
      'spec.kubelet.labels',
      'spec.kubelet.shutdownGracePeriodCriticalPodsSeconds',
      'spec.kubelet.shutdownGracePeriodSeconds',
      'spec.kubelet.taints',
      'spec.kubelet.taints[].effect',
      'spec.kubelet.taints[].key',
      'spec.kubelet.taints[].value',
      'spec.os.sysctls[].name',
      'spec.os.sysctls[].value',
      'spec.units[].active',
      'spec.units[].content',
      'spec.units[].dropIns',
      'spec.units[].enabled',
      'spec.units[].masked',
      'spec.units[].name',
      'spec.update.health.commitAfterSeconds',
      'spec.update.health.readyWithinSeconds',
      'spec.update.health.restartsWithinSeconds',
      'spec.update.jitterSeconds',
      'spec.update.maxDisruptionClass',
      'spec.update.pollEverySeconds',
      'spec.update.tryForSeconds',
    ]);
    expect(onlyIn(v1!, alpha!)).toEqual([
      'spec.cluster.certificateAuthority',
      'spec.files{}.content',
      'spec.files{}.encoding',
      'spec.files{}.group',
      'spec.files{}.mode',
      'spec.files{}.owner',
      'spec.files{}.secret',
      'spec.kubelet.shutdownGracePeriod',
      'spec.kubelet.shutdownGracePeriodCriticalPods',
      'spec.labels',
      'spec.os.modules{}.parameters',
      'spec.taints',
      'spec.taints[].effect',
      'spec.taints[].key',
      'spec.taints[].value',
      'spec.units{}.active',
      'spec.units{}.content',
      'spec.units{}.dropIns',
      'spec.units{}.enabled',
      'spec.units{}.masked',
      'spec.update.health.commitAfter',
      'spec.update.health.readyWithin',
      'spec.update.health.restartsWithin',
      'spec.update.jitter',
      'spec.update.maxDisruption',
      'spec.update.pollEvery',
      'spec.update.tryFor',
      'spec.update.window',
      'spec.update.window.days',
      'spec.update.window.duration',
      'spec.update.window.start',
    ]);
  });
});

function fieldsOf(schema: NodeConfigJsonSchema, path: string): Set<string> {
  const below = Object.entries(schema.properties ?? {}).flatMap(([name, field]) => {
    const inside = path === '' ? name : `${path}.${name}`;
    return [inside, ...fieldsOf(field as NodeConfigJsonSchema, inside)];
  });
  const items = schema.items === undefined ? [] : [...fieldsOf(schema.items as NodeConfigJsonSchema, `${path}[]`)];
  const values =
    typeof schema.additionalProperties === 'object' ? [...fieldsOf(schema.additionalProperties, `${path}{}`)] : [];
  return new Set([...below, ...items, ...values]);
}
