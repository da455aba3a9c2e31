import { expect, test } from 'vitest';
import { dotEdges, renderDot } from './dot.ts';
import { boot, unit } from './testing.ts';

const ALL = { edges: 'all', patterns: [], fromPatterns: [], toPatterns: [] } as const;
const options = (more: object) => ({
  ...ALL,
  patterns: [] as string[],
  fromPatterns: [] as string[],
  toPatterns: [] as string[],
  ...more,
});
const record = boot([
  unit('a.service', 3, 5, { after: ['b.target', 'c.socket'], requires: ['b.target'], aliases: ['alias.service'] }),
  unit('b.target', 6, 6, { wants: ['a.service'], conflicts: ['d.target'] }),
]);
const ends = (more: object) => dotEdges(record, options(more)).map(({ from, to, kind }) => `${from} ${kind} ${to}`);

test('--order and --require together give all edges', () => {
  expect(ends({ edges: 'order' })).toEqual(['a.service After b.target', 'a.service After c.socket']);
  expect([...ends({ edges: 'order' }), ...ends({ edges: 'require' })].sort()).toEqual(ends({}).sort());
});

test('patterns match either end, an alias matches its Id, and from and to patterns narrow the result', () => {
  expect(ends({ patterns: ['*.socket'] })).toEqual(['a.service After c.socket']);
  expect(ends({ fromPatterns: ['alias.service'], edges: 'order' })).toHaveLength(2);
  expect(ends({ toPatterns: ['d.*'] })).toEqual(['b.target Conflicts d.target']);
});

test('edge case 31: escapes backslashes and quotes in names for graphviz', () => {
  const odd = boot([unit('dev-a\\x2db.device', 3, 3, { after: ['"x".slice'] })]);
  expect(renderDot(dotEdges(odd, options({})))).toBe(
    'digraph systemd {\n\t"dev-a\\\\x2db.device"->"\\"x\\".slice" [color="green"];\n}\n',
  );
});
