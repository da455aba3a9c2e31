import { describe, expect, it } from 'vitest';
import type { Json } from '../../schema/json.ts';
import { aDocument, anImage, bytesOf } from './documents.testing.ts';
import { type LayerRules, readLayer } from './read-layer.ts';

const RULES: LayerRules = { image: anImage, maxBytes: 65_536, isStrict: false };
const read = (document: Json, rules: Partial<LayerRules> = {}) => readLayer(bytesOf(document), { ...RULES, ...rules });
const reasonFor = async (document: Json, rules: Partial<LayerRules> = {}) => {
  const layer = await read(document, rules);
  return 'problem' in layer ? layer.problem.reason : undefined;
};

describe('a layer', () => {
  it.each<[string, Json, string]>([
    ['something else', { kind: 'Pod', apiVersion: 'v1' }, 'config/not-a-node-config'],
    ['a list', [], 'config/not-a-node-config'],
    ['of another project', { ...aDocument(), apiVersion: 'example.com/v1' }, 'config/not-a-node-config'],
    ['of a version to come', { ...aDocument(), apiVersion: 'headstart.dev/v9' }, 'config/unsupported-version'],
  ])('that is %s is not read at all', async (_, document, reason) => {
    expect(await reasonFor(document)).toBe(reason);
  });

  it('of a version that the image does not take is not read', async () => {
    const image = { ...anImage, configApiVersions: ['headstart.dev/v1alpha1'] };
    expect(await reasonFor(aDocument(), { image })).toBe('config/unsupported-version');
  });

  it('with a reserved name is not read', async () => {
    const layer = await readLayer(
      Buffer.from('{"apiVersion":"headstart.dev/v1","kind":"NodeConfig","spec":{"labels":{"__proto__":"x"}}}'),
      RULES,
    );
    expect(layer).toMatchObject({ problem: { reason: 'config/invalid' } });
  });

  it('tells fields nobody knows as a warning, and where it is strict as a problem', async () => {
    const document = aDocument({ nonsense: 1 });
    expect(await read(document)).toMatchObject({ problems: [], warnings: [{ path: 'spec.nonsense' }] });
    expect(await read(document, { isStrict: true })).toMatchObject({
      problems: [{ path: 'spec.nonsense', reason: 'config/unknown-field' }],
      warnings: [],
    });
  });

  it('may leave out what another layer has', async () => {
    const layer = await read({ apiVersion: 'headstart.dev/v1', kind: 'NodeConfig', spec: { labels: { a: 'b' } } });
    expect(layer).toMatchObject({ problems: [], spec: { labels: { a: 'b' } } });
    expect('missing' in layer && layer.missing.length).toBeGreaterThan(0);
  });

  it('says first that it is not signed, where the image asks for that', async () => {
    const layer = await read(aDocument({ kubelet: { maxPods: 0 } }), { image: { ...anImage, signers: ['x'] } });
    expect('problems' in layer && layer.problems.map(({ reason }) => reason)).toEqual([
      'config/signature-missing',
      'config/invalid',
    ]);
  });
});
