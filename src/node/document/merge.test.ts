import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Json, JsonObject } from '../../schema/json.ts';
import { type DocumentLayer, leavesOf, mergeLayers, withoutNulls } from './merge.ts';

const merged = (...specs: JsonObject[]) =>
  mergeLayers(specs.map((spec, index) => ({ name: `layer ${index}`, spec }))).spec;

const leaves: fc.Arbitrary<Json> = fc.oneof(fc.integer(), fc.constant(null), fc.array(fc.integer(), { maxLength: 2 }));
const { specs } = fc.letrec<{ specs: JsonObject }>((tie) => ({
  specs: fc.dictionary(
    fc.constantFrom('a', 'b', 'kubelet', 'config', 'x.y'),
    fc.oneof({ maxDepth: 3 }, leaves, tie('specs')),
    {
      maxKeys: 3,
      noNullPrototype: true,
    },
  ),
}));

describe('mergeLayers', () => {
  it('merges maps by key and replaces lists', () => {
    expect(merged({ a: { x: 1, y: [1, 2] }, b: 1 }, { a: { y: [3] }, c: 2 })).toEqual({
      a: { x: 1, y: [3] },
      b: 1,
      c: 2,
    });
  });

  it('removes a value with null, except in free-form configuration of kubelet and containerd', () => {
    expect(merged({ a: { x: 1, y: 2 } }, { a: { x: null } }, { a: { z: null } })).toEqual({ a: { y: 2 } });
    const free = {
      kubelet: { config: { evictionSoft: null } },
      containerd: { runtimes: { a: { options: { b: null } } } },
    };
    expect(merged({ kubelet: { config: { evictionSoft: { x: 1 } } } }, free)).toEqual(free);
    expect(merged({ kubelet: { config: { a: 1 } } }, { kubelet: { config: null } })).toEqual({ kubelet: {} });
  });

  it('replaces a taint with the same key and effect and keeps the others', () => {
    const [a, b, c]: [JsonObject, JsonObject, JsonObject] = [
      { key: 'a', effect: 'NoSchedule', value: '1' },
      { key: 'a', effect: 'NoExecute' },
      { key: 'a', effect: 'NoSchedule', value: '2' },
    ];
    expect(merged({ taints: [a, b] }, { taints: [c] })).toEqual({ taints: [b, c] });
    expect(merged({ taints: [a, b] }, { taints: null })).toEqual({});
  });

  it('is associative', () => {
    fc.assert(
      fc.property(specs, specs, specs, (a, b, c) => {
        expect(merged(merged(a, b), c)).toEqual(merged(a, b, c));
      }),
    );
  });

  it('is idempotent, and an empty layer changes nothing', () => {
    fc.assert(
      fc.property(specs, (spec) => {
        expect(merged(spec, spec)).toEqual(withoutNulls(spec));
        expect(merged({}, spec, {})).toEqual(withoutNulls(spec));
      }),
    );
  });

  it('records for every leaf the last layer that set it', () => {
    fc.assert(
      fc.property(fc.array(specs, { minLength: 1, maxLength: 4 }), (all) => {
        const layers: DocumentLayer[] = all.map((spec, index) => ({ name: `${index}`, spec }));
        const { spec, provenance } = mergeLayers(layers);
        for (const { path, value, from } of leavesOf(spec, provenance)) {
          if (path.length === 0) continue; // all layers are empty
          expect(from, path.join('/')).not.toBe('default');
          const byItself = leavesOf(withoutNulls(all[Number(from)]!), new Map());
          expect(byItself.some((leaf) => leaf.path.join('\0') === path.join('\0'))).toBe(true);
          expect(JSON.stringify(byItself.find((leaf) => leaf.path.join('\0') === path.join('\0'))!.value)).toBe(
            JSON.stringify(value),
          );
        }
      }),
      { numRuns: 500 },
    );
  });
});
