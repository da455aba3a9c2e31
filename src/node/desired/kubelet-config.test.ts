import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canonicalJson, type Json, type JsonObject } from '../../schema/json.ts';
import { configProblems, differingLeaves, effectiveConfig, mergePatch, renderJson } from './kubelet-config.ts';
import { judgeKubeletField } from './kubelet-fields.ts';

const object = fc.dictionary(
  fc.constantFrom('a', 'b', 'c', '__proto__', 'constructor'),
  fc.letrec<{ value: Json }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 2 },
      fc.constantFrom<Json>(1, 'x', true, [1, 2], []),
      fc.dictionary(fc.constantFrom('a', 'b'), tie('value')) as fc.Arbitrary<JsonObject>,
    ),
  })).value,
) as fc.Arbitrary<JsonObject>;

describe('mergePatch', () => {
  // From the appendix of RFC 7386.
  it.each<[Json, Json, Json]>([
    [{ a: 'b' }, { a: 'c' }, { a: 'c' }],
    [{ a: 'b' }, { b: 'c' }, { a: 'b', b: 'c' }],
    [{ a: 'b' }, { a: null }, {}],
    [{ a: 'b', b: 'c' }, { a: null }, { b: 'c' }],
    [{ a: ['b'] }, { a: 'c' }, { a: 'c' }],
    [{ a: 'c' }, { a: ['b'] }, { a: ['b'] }],
    [{ a: { b: 'c' } }, { a: { b: 'd', c: null } }, { a: { b: 'd' } }],
    [{ a: [{ b: 'c' }] }, { a: [1] }, { a: [1] }],
    [
      ['a', 'b'],
      ['c', 'd'],
      ['c', 'd'],
    ],
    [{ a: 'b' }, ['c'], ['c']],
    [{ a: 'foo' }, null, null],
    [{ a: 'foo' }, 'bar', 'bar'],
    [{ e: null }, { a: 1 }, { e: null, a: 1 }],
    [[1, 2], { a: 'b', c: null }, { a: 'b' }],
    [{}, { a: { bb: { ccc: null } } }, { a: { bb: {} } }],
  ])('%j with %j gives %j', (target, patch, result) => {
    expect(mergePatch(target, patch)).toEqual(result);
  });

  it('is idempotent, and returns the patch for an empty target', () => {
    fc.assert(
      fc.property(object, object, (target, patch) => {
        const merged = mergePatch(target, patch);
        expect(canonicalJson(mergePatch(merged, patch))).toBe(canonicalJson(merged));
        expect(differingLeaves(mergePatch({}, patch), patch)).toEqual([]);
      }),
    );
  });

  it('merges files in the order in which kubelet walks them', () => {
    const at = (path: string): [string, JsonObject] => [path, { last: path }];
    const dropIns = new Map(['/d/30-x.conf', '/d/20-a/z.conf', '/d/20-a.conf', '/d/20-a-b/z.conf'].map(at));
    expect(effectiveConfig({ maxPods: 1 }, dropIns)).toEqual({ maxPods: 1, last: '/d/30-x.conf' });
    dropIns.delete('/d/30-x.conf');
    expect(effectiveConfig({}, dropIns)).toEqual({ last: '/d/20-a.conf' });
  });
});

describe('differingLeaves', () => {
  it('returns nothing for the same configuration in another order', () => {
    expect(differingLeaves({ a: { b: 1, c: [{ x: 1, y: 2 }] } }, { a: { c: [{ y: 2, x: 1 }], b: 1 } })).toEqual([]);
  });

  it('returns every leaf of an added or removed object, and a list as one leaf', () => {
    expect(differingLeaves({ a: { b: 1, c: 2 } }, { d: [1] })).toEqual([
      { path: ['a', 'b'], from: 1, to: undefined },
      { path: ['a', 'c'], from: 2, to: undefined },
      { path: ['d'], from: undefined, to: [1] },
    ]);
  });

  it('returns leaves only for different configurations, ignoring empty objects', () => {
    fc.assert(
      fc.property(object, object, (a, b) => {
        const isSame = canonicalJson(withoutEmpty(a)) === canonicalJson(withoutEmpty(b));
        expect(differingLeaves(a, b).length === 0).toBe(isSame);
      }),
    );
  });
});

function withoutEmpty(value: Json): Json {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  const entries = Object.entries(value).map(([key, item]) => [key, withoutEmpty(item)] as const);
  return Object.fromEntries(entries.filter(([, item]) => canonicalJson(item) !== '{}'));
}

describe('configProblems', () => {
  const right = { containerRuntimeEndpoint: 'unix:///run/containerd/containerd.sock' };

  it.each<[JsonObject, string]>([
    [{ maxPods: '110' }, 'maxPods'],
    [{ clusterDNS: '10.0.0.1' }, 'clusterDNS'],
    [{ evictionHard: { 'memory.available': 100 } }, 'evictionHard'],
    [{ featureGates: { A: 'true' } }, 'featureGates'],
    [{ syncFrequency: '10 seconds' }, 'syncFrequency'],
    [{ syncFrequency: 10 }, 'syncFrequency'],
    [{ imageGCLowThresholdPercent: 85 }, 'imageGCLowThresholdPercent'],
    [{ maxParallelImagePulls: 2 }, 'maxParallelImagePulls'],
    [{ enforceNodeAllocatable: ['pods', 'system-reserved'] }, 'systemReservedCgroup'],
    [{ enforceNodeAllocatable: ['none', 'pods'] }, 'enforceNodeAllocatable'],
    [{ containerRuntimeEndpoint: '' }, 'containerRuntimeEndpoint'],
  ])('refuses %j because of %s', (config, key) => {
    expect(configProblems({ ...right, ...config }).map((problem) => problem.key)).toEqual([key]);
  });

  it('accepts fields of a newer kubelet, null, and every value that kubelet accepts', () => {
    const config = {
      ...right,
      fromTheFuture: { a: 1 },
      maxPods: null,
      syncFrequency: '1h0m0.5s',
      maxParallelImagePulls: 5,
      serializeImagePulls: false,
    };
    expect(configProblems(config)).toEqual([]);
  });
});

describe('judgeKubeletField', () => {
  it('gives a reason for every path and value', () => {
    fc.assert(
      fc.property(fc.array(fc.string(), { minLength: 1 }), fc.jsonValue(), fc.jsonValue(), (path, from, to) => {
        expect(judgeKubeletField(path, from as Json, to as Json).why).not.toBe('');
      }),
    );
  });
});

it('renders the same configuration as the same bytes', () => {
  expect(renderJson({ b: [{ d: 1, c: 2 }], a: 1 })).toBe(renderJson({ a: 1, b: [{ c: 2, d: 1 }] }));
});
