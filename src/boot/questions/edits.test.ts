import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { UserError } from '../../base/errors.ts';
import { orderGraph } from '../model/order-graph.ts';
import { caught } from '../testing.ts';
import { applyEdits, parseEdit, renderEdit, unitIndexOrThrow, type WhatIfEdit } from './edits.ts';
import { bootOf, ran } from './what-if.testing.ts';

describe('parseEdit', () => {
  it.each([
    [
      'add',
      'a.service After=b.service c.service After=d.service Took=1min 2s',
      { kind: 'add', unit: 'a.service', after: ['b.service', 'c.service', 'd.service'], tookUs: 62_000_000 },
    ],
    ['add', 'a.service', { kind: 'add', unit: 'a.service', after: [], tookUs: 0 }],
    ['set', 'a@x=y.service=200ms', { kind: 'set', unit: 'a@x=y.service', tookUs: 200_000 }],
    ['after', ' a.service  b.service ', { kind: 'after', unit: 'a.service', dependency: 'b.service' }],
    ['mask', 'a.service', { kind: 'mask', unit: 'a.service' }],
  ] as const)('reads --%s %s', (kind, text, expected) => {
    expect(parseEdit(kind, text)).toEqual(expected);
    const written = renderEdit(parseEdit(kind, text));
    expect(parseEdit(kind, /'(.*)'/.exec(written)![1]!)).toEqual(expected);
  });

  it.each([
    ['add', ''],
    ['add', 'a.service Until=b'],
    ['add', 'a.service b.service'],
    ['add', 'a.service Took=fast'],
    ['set', 'a.service'],
    ['set', '=2s'],
    ['set', 'a.service=-2s'],
    ['after', 'a.service'],
    ['drop-after', 'a b c'],
    ['mask', 'a b'],
  ] as const)('refuses --%s %j', (kind, text) => {
    expect(caught(() => parseEdit(kind, text)).code).toBe('boot/bad-edit');
  });

  it('throws only UserErrors for any other text', () => {
    fc.assert(
      fc.property(fc.constantFrom('add', 'after', 'drop-after', 'set', 'mask'), fc.string(), (kind, text) => {
        try {
          parseEdit(kind as WhatIfEdit['kind'], text);
        } catch (error) {
          expect(error).toBeInstanceOf(UserError);
        }
      }),
    );
  });
});

describe('applyEdits', () => {
  const record = bootOf([
    ran('base.target', 1, 1),
    ran('slow.service', 1.5, 9, ['base.target']),
    ran('end.target', 9.25, 9.25, ['slow.service']),
    ran('never.service', 0, 0),
  ]);
  const known = new Set(record.units.map(({ name }) => name));
  const recorded = orderGraph(record);
  const edited = (...edits: [WhatIfEdit['kind'], string][]) =>
    applyEdits(
      recorded,
      edits.map(([kind, text]) => parseEdit(kind, text)),
      known,
    );
  const waitsFor = ({ graph }: ReturnType<typeof edited>, name: string) =>
    graph.after[graph.numberOf.get(name)!]!.map((d) => graph.names[d]);

  it('does not modify the given graph', () => {
    const before = structuredClone(recorded);
    edited(['mask', 'slow.service'], ['set', 'end.target=4s'], ['add', 'new.service After=base.target Took=1s']);
    expect(recorded).toEqual(before);
  });

  it('accepts added units in any order, and a dependency twice', () => {
    const result = edited(
      ['after', 'end.target b.service'],
      ['after', 'end.target b.service'],
      ['add', 'a.service After=b.service'],
      ['add', 'b.service After=base.target never.service'],
    );
    expect(waitsFor(result, 'a.service')).toEqual(['b.service']);
    expect(waitsFor(result, 'b.service')).toEqual(['base.target']);
    expect(waitsFor(result, 'end.target')).toEqual(['slow.service', 'b.service']);
    expect(result.notes).toEqual(['never.service did not run in this boot: waiting for it takes no time']);
  });

  it('removes a masked unit and its ordering from the units that wait for it', () => {
    const result = edited(['mask', 'slow']);
    expect(waitsFor(result, 'end.target')).toEqual([]);
    expect(waitsFor(result, 'slow.service')).toEqual([]);
    expect([...result.masked].map((u) => result.graph.names[u])).toEqual(['slow.service']);
  });

  it('notes edits without effect', () => {
    const { notes } = edited(['set', 'never.service=1s'], ['drop-after', 'end.target base.target']);
    expect(notes).toEqual([
      "never.service did not run in this boot: --set 'never.service=1s' has no effect",
      'end.target did not wait for base.target: nothing to drop',
    ]);
  });

  it('refuses to add a unit that exists, and to edit a unit that is not in the recording', () => {
    expect(caught(() => edited(['add', 'slow.service'])).code).toBe('boot/unit-exists');
    expect(caught(() => edited(['mask', 'slov.service'])).message).toContain('did you mean slow.service');
  });

  it('finds a service without its suffix, and distinguishes a unit that never ran from an unknown one', () => {
    expect(unitIndexOrThrow(recorded, 'slow', known)).toBe(1);
    expect(unitIndexOrThrow(recorded, 'never', known)).toBeUndefined();
    expect(caught(() => unitIndexOrThrow(recorded, 'base', known)).code).toBe('boot/no-such-unit');
  });
});
