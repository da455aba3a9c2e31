import { describe, expect, it } from 'vitest';
import { memoryInput } from '../../input.ts';
import { conditionOf, kubernetesDocuments, objectsIn, stampIn } from './objects.ts';

describe('the objects of kubectl', () => {
  it.each([
    ['one object', '{"kind":"Node","metadata":{"name":"a"}}', 1],
    ['a List', '{"kind":"List","items":[{"kind":"Node"},{"kind":"Pod"}]}', 1],
    ['a NodeList, whose items have no kind', '{"kind":"NodeList","items":[{},{}]}', 2],
    ['YAML documents', 'kind: Node\n---\nkind: Pod\n---\nkind: Node\n', 2],
    ['another kind', '{"kind":"Pod"}', 0],
  ])('are found in %s', async (_, text, count) => {
    const { documents } = await kubernetesDocuments(memoryInput('x', text), /kind/);
    expect(documents.flatMap((document) => objectsIn(document, 'Node'))).toHaveLength(count);
  });

  it('have conditions and stamps, or not', () => {
    const node = { status: { conditions: [{ type: 'Ready', lastTransitionTime: '2026-01-01T00:00:00Z' }] } };
    expect(stampIn(conditionOf(node, 'Ready')!, 'lastTransitionTime')).toBe(1_767_225_600e6);
    expect(conditionOf(node, 'Launched')).toBeUndefined();
    expect(stampIn({}, 'lastTransitionTime')).toBeUndefined();
  });
});
