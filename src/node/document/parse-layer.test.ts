import { describe, expect, it } from 'vitest';
import type { Json } from '../../schema/json.ts';
import { aDocument, anImage, bytesOf } from './documents.testing.ts';
import { type LayerRules, parseLayer } from './parse-layer.ts';

const RULES: LayerRules = { image: anImage, maxBytes: 65_536, isStrict: false };
const read = (document: Json, rules: Partial<LayerRules> = {}) => parseLayer(bytesOf(document), { ...RULES, ...rules });
const reasonFor = async (document: Json, rules: Partial<LayerRules> = {}) => {
  const layer = await read(document, rules);
  return 'problem' in layer ? layer.problem.reason : undefined;
};

describe('parseLayer', () => {
  it.each<[string, Json, string]>([
    ['another kind', { kind: 'Pod', apiVersion: 'v1' }, 'config/not-a-node-config'],
    ['a list', [], 'config/not-a-node-config'],
    ['another API group', { ...aDocument(), apiVersion: 'example.com/v1' }, 'config/not-a-node-config'],
    ['an unknown version', { ...aDocument(), apiVersion: 'headstart.dev/v9' }, 'config/unsupported-version'],
  ])('refuses %s', async (_, document, reason) => {
    expect(await reasonFor(document)).toBe(reason);
  });

  it('refuses a version that the image does not support', async () => {
    const image = { ...anImage, configApiVersions: ['headstart.dev/v1alpha1'] };
    expect(await reasonFor(aDocument(), { image })).toBe('config/unsupported-version');
  });

  it('refuses a __proto__ key', async () => {
    const layer = await parseLayer(
      Buffer.from('{"apiVersion":"headstart.dev/v1","kind":"NodeConfig","spec":{"labels":{"__proto__":"x"}}}'),
      RULES,
    );
    expect(layer).toMatchObject({ problem: { reason: 'config/invalid' } });
  });

  it('reports unknown fields as warnings, and in strict mode as problems', async () => {
    const document = aDocument({ nonsense: 1 });
    expect(await read(document)).toMatchObject({ problems: [], warnings: [{ path: 'spec.nonsense' }] });
    expect(await read(document, { isStrict: true })).toMatchObject({
      problems: [{ path: 'spec.nonsense', reason: 'config/unknown-field' }],
      warnings: [],
    });
  });

  it('accepts a layer without the fields that another layer sets', async () => {
    const layer = await read({ apiVersion: 'headstart.dev/v1', kind: 'NodeConfig', spec: { labels: { a: 'b' } } });
    expect(layer).toMatchObject({ problems: [], spec: { labels: { a: 'b' } } });
    expect('missing' in layer && layer.missing.length).toBeGreaterThan(0);
  });

  it('reports a missing signature before all other problems', async () => {
    const layer = await read(aDocument({ kubelet: { maxPods: 0 } }), { image: { ...anImage, signers: ['x'] } });
    expect('problems' in layer && layer.problems.map(({ reason }) => reason)).toEqual([
      'config/signature-missing',
      'config/invalid',
    ]);
  });
});
