import { describe, expect, it } from 'vitest';
import { caught } from '../testing.ts';
import { applyEdits } from './apply-edits.ts';
import { unitIndexOrThrow } from './edit-names.ts';
import { parseEdit, type WhatIfEdit } from './edits.ts';
import { pointGraph } from './point-graph.ts';
import { bootOf, ran } from './what-if.testing.ts';

describe('applyEdits', () => {
  const record = bootOf([
    ran('base.target', 1, 1),
    ran('slow.service', 1.5, 9, ['base.target']),
    ran('end.target', 9.25, 9.25, ['slow.service']),
    ran('never.service', 0, 0),
  ]);
  const known = new Set(record.units.map(({ name }) => name));
  const recorded = pointGraph(record);
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
