import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { unit } from '../../../testing.ts';
import { type AnalyzeOutput, pastedBoots } from './pasted-boots.ts';

const listing = (line: number, fields: Partial<AnalyzeOutput>): AnalyzeOutput => ({
  kind: 'chain',
  line,
  headings: [],
  units: [],
  blame: new Map(),
  ...fields,
});
const chain = (line: number, ends: Record<string, number>, headings: readonly string[] = []) =>
  listing(line, { headings, units: Object.entries(ends).map(([name, end]) => unit(name, end, 0)) });
const blame = (line: number, took: Record<string, number>, headings: readonly string[] = []) =>
  listing(line, { kind: 'blame', headings, blame: new Map(Object.entries(took)) });
const linesOf = (listings: AnalyzeOutput[]) =>
  pastedBoots(listings).map((boot) => boot.listings.map(({ line }) => line));
const namesOf = (listings: AnalyzeOutput[]) => pastedBoots(listings).map(({ name }) => name);

describe('pastedBoots', () => {
  test('puts listings that agree into one boot, wherever they are in the document', () => {
    const a = chain(1, { 'x.target': 9, 'a.service': 3 });
    const b = chain(10, { 'x.target': 4 });
    const again = chain(20, { 'y.service': 5, 'a.service': 3 });
    expect(linesOf([a, b, again])).toEqual([[1, 20], [10]]);
  });

  test('a listing with nothing in common joins the latest boot, unless it has a heading of its own and the kind repeats', () => {
    expect(linesOf([blame(1, { a: 1 }), blame(5, { b: 1 })])).toEqual([[1, 5]]);
    expect(linesOf([blame(1, { a: 1 }, ['one']), blame(5, { b: 1 }, ['two'])])).toEqual([[1], [5]]);
    expect(linesOf([blame(1, { a: 1 }, ['blame']), chain(5, { b: 1 }, ['chain'])])).toEqual([[1, 5]]);
  });

  test('a few units that restarted do not make another boot', () => {
    expect(linesOf([blame(1, { a: 1e6, b: 2e6, c: 3e6 }), blame(9, { a: 9e6, b: 2e6, c: 3e6 })])).toEqual([[1, 9]]);
  });

  test.each([
    ['their own headings', ['before', 'after'], ['before', 'after']],
    ['the unit, if they share the heading', ['times', 'times'], ['x.target', 'y.service']],
  ])('are called by %s', (_, [first, second], names) => {
    expect(
      namesOf([
        chain(1, { 'x.target': 9, 'a.service': 1 }, [first!]),
        chain(5, { 'y.service': 2, 'a.service': 2 }, [second!]),
      ]),
    ).toEqual(names);
  });

  test('are called by their line if nothing else tells them apart', () => {
    expect(namesOf([chain(1, { 'x.target': 9 }), chain(5, { 'x.target': 2 })])).toEqual([
      'x.target (line 1)',
      'x.target (line 5)',
    ]);
  });

  test('keep every listing once, in order, with unique names', () => {
    const any = fc.record({
      us: fc.dictionary(fc.constantFrom('a', 'b', 'c…'), fc.integer({ min: 1, max: 3 })),
      heading: fc.constantFrom([], ['h'], ['i', 'h']),
      isBlame: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.array(any, { maxLength: 12 }), (all) => {
        const listings = all.map(({ us, heading, isBlame }, line) => (isBlame ? blame : chain)(line, us, heading));
        const boots = pastedBoots(listings);
        expect(boots.flatMap((boot) => boot.listings).sort((a, b) => a.line - b.line)).toEqual(listings);
        expect(new Set(boots.map(({ name }) => name)).size).toBe(boots.length);
      }),
    );
  });
});
