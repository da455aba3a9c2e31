import { describe, expect, it } from 'vitest';
import { constraintProblems } from './constraint-graph.ts';
import type { Manifest } from './manifest.ts';
import { CONTAINERD, debText, manifestText, problemsOf } from './manifests.testing.ts';

describe('a manifest with constraints that cannot be satisfied', () => {
  it.each([
    [
      'a constraint on an unknown component',
      `${CONTAINERD}${debText('x', '1', ['contaienrd >= 1'])}`,
      /there is no component called contaienrd \(did you mean containerd\?\)/,
    ],
    [
      'a cycle of constraints',
      debText('a', '1', ['b >= 1']) + debText('b', '1', ['c >= 1']) + debText('c', '1', ['a >= 1']),
      /cycle: a → b → c → a/,
    ],
    ['a constraint on itself', debText('a', '1', ['a >= 1']), /cycle: a → a/],
    [
      'constraints that exclude each other',
      CONTAINERD + debText('a', '1', ['containerd >= 2']) + debText('b', '1', ['containerd < 2']),
      /no version of containerd satisfies all constraints: a requires containerd >= 2, b requires containerd < 2/,
    ],
  ])('is refused for %s', async (_what, components, expected) => {
    const problems = await problemsOf(manifestText(components));
    expect(problems.join('\n')).toMatch(expected);
    expect(problems.every((problem) => /^line \d+: /.test(problem))).toBe(true);
  });
});

describe('constraintProblems', () => {
  const problems = (...constraints: string[]) =>
    constraintProblems({
      components: [
        { name: 'x', constraints: [] },
        ...constraints.map((constraint, index) => ({ name: `by-${index}`, constraints: [constraint] })),
      ],
    } as unknown as Manifest).map(({ message }) => message);

  it.each([
    ['x >= 1', 'x < 2'],
    ['x >= 1.6', 'x <= 1.6'],
    ['x = 1.6.*', 'x >= 1.6.5'],
    ['x = 1.6.*', 'x <= 1.6'],
    ['x = 1.6', 'x = 1.6'],
    ['x != 1', 'x = 1'],
  ])('accepts %s together with %s', (one, other) => {
    expect(problems(one, other)).toEqual([]);
    expect(problems(other, one)).toEqual([]);
  });

  it.each([
    ['x > 1', 'x <= 1'],
    ['x >= 1', 'x < 1'],
    ['x = 1.6', 'x = 1.7'],
    ['x = 1.6.*', 'x >= 1.7'],
  ])('reports that %s and %s exclude each other', (one, other) => {
    for (const found of [problems(one, other), problems(other, one)])
      expect(found).toEqual([expect.stringContaining('no version of x satisfies all constraints')]);
  });

  it('names each requiring component once', () => {
    expect(problems('x >= 2', 'x < 2')).toEqual([
      'no version of x satisfies all constraints: by-0 requires x >= 2, by-1 requires x < 2',
    ]);
    expect(problems('x >= 2, < 1')).toEqual(['no version of x satisfies all constraints: by-0 requires x >= 2, < 1']);
  });

  it('accepts constraints on Kubernetes and Debian, which are not components', () => {
    expect(problems('kubernetes >= 1.30', 'debian >= 12')).toEqual([]);
  });
});
