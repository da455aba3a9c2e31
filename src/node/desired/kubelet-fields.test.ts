import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { Json } from '../../schema/json.ts';
import { judgeKubeletField, KNOWN_KUBELET_FIELDS, kubeletFieldProblem, staleStateOf } from './kubelet-fields.ts';

const { fields } = JSON.parse(
  readFileSync(new URL('../fixtures/kubelet-fields-1.35.8.json', import.meta.url), 'utf8'),
) as {
  fields: Record<string, string>;
};

const RIGHT: Readonly<Record<string, Json>> = {
  boolean: true,
  text: 'a',
  integer: 3,
  number: 0.5,
  span: '1m30s',
  texts: ['a'],
  objects: [{}],
  object: {},
  'map of texts': { a: 'b', gone: null },
  'map of booleans': { a: true },
};

describe("kubelet's fields", () => {
  it.each(Object.entries(fields))('include %s of type %s', (field, type) => {
    expect(KNOWN_KUBELET_FIELDS).toContain(field);
    expect(kubeletFieldProblem(field, RIGHT[type]!)).toBeUndefined();
    expect(kubeletFieldProblem(field, null)).toBeUndefined();
    expect(kubeletFieldProblem(field, type === 'boolean' ? 'true' : true)).toBeDefined();
  });

  it('that leave a stale state file are of class 5', () => {
    for (const field of KNOWN_KUBELET_FIELDS) {
      if (staleStateOf([field]).length > 0) expect(judgeKubeletField([field], 'a', 'b').class).toBe(5);
    }
  });

  it('that are unknown need a drain and accept any type', () => {
    expect(judgeKubeletField(['fromTheFuture'], undefined, 1).class).toBe(4);
    expect(kubeletFieldProblem('fromTheFuture', 1)).toBeUndefined();
    expect(judgeKubeletField(['constructor'], undefined, 1).class).toBe(4);
    expect(staleStateOf(['constructor'])).toEqual([]);
  });
});
