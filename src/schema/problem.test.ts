import { describe, expect, it } from 'vitest';
import { renderPath, renderProblem } from './problem.ts';

describe('a path', () => {
  it.each([
    [[], ''],
    [['spec', 'kubelet', 'maxPods'], 'spec.kubelet.maxPods'],
    [['spec', 'taints', 0, 'key'], 'spec.taints[0].key'],
    [['spec', 'files', '/etc/motd', 'mode'], 'spec.files["/etc/motd"].mode'],
    [['a b'], '["a b"]'],
    [[0], '[0]'],
  ])('%j is rendered as %j', (path, text) => {
    expect(renderPath(path)).toBe(text);
  });
});

describe('a problem', () => {
  it('of the whole document begins with "the document"', () => {
    expect(renderProblem({ path: '', message: 'is empty' })).toBe('the document is empty');
    expect(renderProblem({ path: '', message: 'expected a map, got a list' })).toBe(
      'the document: expected a map, got a list',
    );
  });

  it('begins with its file and its path, if it has them', () => {
    expect(renderProblem({ path: 'a.b', message: 'is missing' })).toBe('a.b: is missing');
    expect(renderProblem({ path: 'a.b', message: 'is missing', layer: '10-x.yaml' })).toBe(
      '10-x.yaml: a.b: is missing',
    );
    expect(renderProblem({ path: '', message: 'is empty', layer: '10-x.yaml' })).toBe('10-x.yaml: is empty');
  });
});
