import { describe, expect, it } from 'vitest';
import { renderManifestProblem } from './manifest-problem.ts';

describe('renderManifestProblem', () => {
  it.each([
    [['components', 3, 'versions', 0, 'sources'], 12, 'line 12: components[3].versions[0].sources: is missing'],
    [['name'], undefined, 'name: is missing'],
    [[], 1, 'line 1: the manifest is missing'],
    [[], undefined, 'the manifest is missing'],
    [[0, 'a'], undefined, '[0].a: is missing'],
  ])('renders path %j and line %s as %j', (path, line, expected) => {
    expect(renderManifestProblem({ path, line, message: 'is missing' })).toBe(expected);
  });
});
