import { describe, expect, it } from 'vitest';
import type { Slots } from './contract.ts';
import { assignmentOf } from './node-folder.testing.ts';
import { FIRST_STATE, type Generation } from './records.ts';
import { aSlot } from './situations.testing.ts';
import { generationRecordOf, rollbackTarget, slotOf, withBad, withoutHash } from './slots.ts';

const [A, B, C] = [1, 2, 3].map((generation) => assignmentOf({ generation })) as [
  ReturnType<typeof assignmentOf>,
  ReturnType<typeof assignmentOf>,
  ReturnType<typeof assignmentOf>,
];
const generation = (number: number, assignment = A): Generation => ({
  number,
  appliedMs: number,
  assignment,
  ownership: FIRST_STATE.ownership,
});
const ALL = [generation(3, C), generation(2, B), generation(1, A)];
const back = (slots: Slots, number?: number) => rollbackTarget(slots, ALL, number)?.number;

describe('rollbackTarget', () => {
  it('is the given generation, if it exists', () => {
    expect(back({ active: aSlot(C, 3), bad: [] }, 1)).toBe(1);
    expect(back({ active: aSlot(C, 3), bad: [] }, 9)).toBeUndefined();
  });

  it('is the last known good, unless that is active', () => {
    expect(back({ active: aSlot(C, 3), lastKnownGood: aSlot(A, 1), bad: [] })).toBe(1);
    expect(back({ active: aSlot(C, 3), lastKnownGood: aSlot(C, 3), bad: [] })).toBe(2);
  });

  it('is the previous generation if none was verified, and undefined for the first', () => {
    expect(back({ active: aSlot(C, 3), bad: [] })).toBe(2);
    expect(back({ active: aSlot(A, 1), bad: [] })).toBeUndefined();
    expect(back({ bad: [] })).toBeUndefined();
  });
});

describe('bad documents', () => {
  it('are listed once each, newest last, and only the last fifty are kept', () => {
    const many = Array.from({ length: 60 }, (_, i) => ({ ...aSlot(A, i), hash: `hash-${i}` }));
    const bad = many.reduce<Slots['bad']>((all, slot, i) => withBad(all, slot, 'verify/unit-failed', i), []);
    expect([bad.length, bad[0]?.hash, bad.at(-1)?.hash]).toEqual([50, 'hash-10', 'hash-59']);
    const again = withBad(bad, many[30]!, 'verify/not-kept', 99);
    expect([again.length, again.at(-1)]).toEqual([50, expect.objectContaining({ hash: 'hash-30', atMs: 99 })]);
    expect(withoutHash(again, 'hash-30')).toHaveLength(49);
  });
});

describe('a slot', () => {
  it('names the VM only on a clone', () => {
    expect(slotOf(A, 1, { atMs: 5, vmId: 'vm' })).toMatchObject({ number: 1, generation: 1, atMs: 5, vmId: 'vm' });
    expect(slotOf(A, 1, { atMs: 5 })).not.toHaveProperty('vmId');
  });
});

describe('a row of history', () => {
  it('shows whether the generation is active, whether it is verified, and why it was rolled back', () => {
    const bad = [{ hash: B.hash, generation: 2, code: 'verify/unit-failed', atMs: 0 }] as const;
    const slots: Slots = { active: aSlot(C, 3), lastKnownGood: aSlot(A, 1), bad };
    const seen = ALL.map((one) => generationRecordOf(one, slots)).map((one) => [
      one.number,
      one.isActive,
      one.isLastKnownGood,
      one.bad?.code,
    ]);
    expect(seen).toEqual([
      [3, true, false, undefined],
      [2, false, false, 'verify/unit-failed'],
      [1, false, true, undefined],
    ]);
  });
});
