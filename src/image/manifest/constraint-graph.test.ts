import { describe, expect, it } from 'vitest';
import { constraintProblems } from './constraint-graph.ts';
import type { Manifest } from './manifest.ts';
import { CONTAINERD, debText, manifestText, problemsOf } from './manifests.testing.ts';

describe('a manifest with constraints that cannot hold', () => {
  it.each([
    [
      'a constraint on nothing',
      `${CONTAINERD}${debText('x', '1', ['contaienrd >= 1'])}`,
      /there is no component called contaienrd \(did you mean containerd\?\)/,
    ],
    [
      'constraints that go round',
      debText('a', '1', ['b >= 1']) + debText('b', '1', ['c >= 1']) + debText('c', '1', ['a >= 1']),
      /circle: a → b → c → a/,
    ],
    ['a constraint on itself', debText('a', '1', ['a >= 1']), /circle: a → a/],
    [
      'constraints that exclude one another',
      CONTAINERD + debText('a', '1', ['containerd >= 2']) + debText('b', '1', ['containerd < 2']),
      /no version of containerd can be right: a wants containerd >= 2, b wants containerd < 2/,
    ],
  ])('is refused for %s', async (_what, components, expected) => {
    const problems = await problemsOf(manifestText(components));
    expect(problems.join('\n')).toMatch(expected);
    expect(problems.every((problem) => /^line \d+: /.test(problem))).toBe(true);
  });
});

describe('two demands on one component', () => {
  const problems = (...demands: string[]) =>
    constraintProblems({
      components: [
        { name: 'x', constraints: [] },
        ...demands.map((demand, index) => ({ name: `by-${index}`, constraints: [demand] })),
      ],
    } as unknown as Manifest).map(({ message }) => message);

  it.each([
    ['x >= 1', 'x < 2'],
    ['x >= 1.6', 'x <= 1.6'],
    ['x = 1.6.*', 'x >= 1.6.5'],
    ['x = 1.6.*', 'x <= 1.6'],
    ['x = 1.6', 'x = 1.6'],
    ['x != 1', 'x = 1'],
  ])('may be %s and %s', (one, other) => {
    expect(problems(one, other)).toEqual([]);
    expect(problems(other, one)).toEqual([]);
  });

  it.each([
    ['x > 1', 'x <= 1'],
    ['x >= 1', 'x < 1'],
    ['x = 1.6', 'x = 1.7'],
    ['x = 1.6.*', 'x >= 1.7'],
  ])('cannot be %s and %s', (one, other) => {
    for (const found of [problems(one, other), problems(other, one)])
      expect(found).toEqual([expect.stringContaining('no version of x can be right')]);
  });

  it('are told once each, with who demands them', () => {
    expect(problems('x >= 2', 'x < 2')).toEqual(['no version of x can be right: by-0 wants x >= 2, by-1 wants x < 2']);
    expect(problems('x >= 2, < 1')).toEqual(['no version of x can be right: by-0 wants x >= 2, < 1']);
  });

  it('may be on Kubernetes and on Debian, which are no components', () => {
    expect(problems('kubernetes >= 1.30', 'debian >= 12')).toEqual([]);
  });
});
