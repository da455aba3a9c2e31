import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ClockOffset, MachineIdentity } from './identity.ts';
import { FACT_NAMES, type FactName, factsOfItem } from './items.ts';
import { judgeDistinct, MOST_CLOCK_MS } from './judge-distinct.ts';
import { anIdentity } from './testing.ts';

const names = fc.uniqueArray(fc.string({ minLength: 1, maxLength: 8 }), { minLength: 2, maxLength: 8 });
const machines = names.map((all) => all.map((name) => anIdentity(name)));

/** Each machine, and values of any item that some of them share. */
const mixed = fc
  .tuple(machines, fc.array(fc.tuple(fc.constantFrom(...FACT_NAMES), fc.nat(), fc.nat(), fc.boolean())))
  .map(([all, plants]) =>
    plants.reduce((now, [item, from, to, isUnknown]) => {
      const fact = isUnknown ? { unknown: 'no' } : now[from % now.length]!.facts[item];
      return now.map((one, i) => (i === to % now.length ? withFact(one, item, fact) : one));
    }, all),
  );

function withFact(machine: MachineIdentity, item: FactName, fact: MachineIdentity['facts'][FactName]): MachineIdentity {
  return { ...machine, facts: { ...machine.facts, [item]: fact } };
}

const withClock = (name: string, offsetMs: number, errorMs = 1) => ({
  ...anIdentity(name),
  clock: { offsetMs, errorMs } satisfies ClockOffset,
});

describe('judging machines', () => {
  it('finds nothing when all facts differ', () => {
    fc.assert(
      fc.property(machines, (all) => {
        expect(judgeDistinct(all)).toEqual({ isDistinct: true, shared: [], notes: [], unknown: [] });
      }),
    );
  });

  it('finds any planted equality and names the machines, the reason and the remedy', () => {
    fc.assert(
      fc.property(machines, fc.constantFrom(...FACT_NAMES), fc.nat(), fc.nat(), (all, item, i, j) => {
        const [from, to] = [all[i % all.length]!, all[(i + 1 + (j % (all.length - 1))) % all.length]!];
        const planted = all.map((one) => (one === to ? withFact(one, item, from.facts[item]) : one));
        const { shared, notes, isDistinct } = judgeDistinct(planted);
        const [found, ...others] = [...shared, ...notes];
        expect(others).toEqual([]);
        const { why, remedy, isHarmless = false } = factsOfItem(item);
        expect(found).toMatchObject({ item, machines: [from.name, to.name].sort(), why, remedy });
        expect(isDistinct).toBe(isHarmless);
      }),
    );
  });

  it('finds one shared value among several', () => {
    const value = { value: '10.0.0.4', of: 'eth0' };
    const a = anIdentity('a', { 'ip-address': { values: [{ value: '10.0.0.5' }, value] } });
    const b = anIdentity('b', { 'ip-address': { values: [{ ...value, of: 'ens3' }, { value: '10.0.0.6' }] } });
    expect(judgeDistinct([a, b]).shared.map(({ what }) => what)).toEqual(['a and b share the IP address: 10.0.0.4']);
  });

  it('gives the same answer in any order of the machines', () => {
    fc.assert(
      fc.property(
        mixed.chain((all) => fc.tuple(fc.constant(all), fc.shuffledSubarray(all, { minLength: all.length }))),
        ([all, other]) => {
          expect(judgeDistinct(other)).toEqual(judgeDistinct(all));
        },
      ),
    );
  });

  it('never calls an unknown fact distinct or shared', () => {
    const unknown = { unknown: 'the file is missing' };
    const all = ['a', 'b'].map((name) => anIdentity(name, { 'ssh-host-key': unknown }));
    expect(judgeDistinct(all)).toMatchObject({
      shared: [],
      unknown: ['a', 'b'].map((machine) => ({ item: 'ssh-host-key', machine, why: 'the file is missing' })),
    });
  });

  it('names the units whose invocation ids are shared in a note, at most three', () => {
    const ids = ['a', 'b', 'c', 'd', 'e'].map((of) => ({ value: `id of ${of}`, of: `${of}.service` }));
    const { notes, isDistinct } = judgeDistinct(
      ['x', 'y'].map((name) => anIdentity(name, { 'invocation-id': { values: ids } })),
    );
    expect(notes.map(({ what }) => what)).toEqual([
      'x and y share invocation ids of units: a.service, b.service, c.service, 2 more',
    ]);
    expect(isDistinct).toBe(true);
  });

  it('does not print the values of what identifies a machine confidentially', () => {
    const { shared } = judgeDistinct(
      ['x', 'y'].map((name) => anIdentity(name, { 'machine-id': { values: [{ value: 'abcd' }] } })),
    );
    expect(shared.map(({ what }) => what)).toEqual(['x and y share the machine-id']);
  });

  it('finds random bytes that a machine drew before it was parked and draws again', () => {
    const again = {
      values: [
        { value: 'r', of: 'fresh' },
        { value: 'r', of: 'when it was parked' },
      ],
    };
    const { shared } = judgeDistinct([anIdentity('a', { 'random-bytes': again }), anIdentity('b')]);
    expect(shared.map(({ item, machines }) => [item, machines])).toEqual([['random-bytes', ['a']]]);
  });
});

describe('clocks', () => {
  const late = MOST_CLOCK_MS + 100;
  it.each([
    ['of one machine far from ours', [withClock('a', -late), withClock('b', 0)], [['a']]],
    ['of two machines far apart', [withClock('b', late / 2), withClock('a', -late / 2)], [['a', 'b']]],
    ['that are only known not to be close', [withClock('a', late, 200), withClock('b', 0)], []],
    ['that are close', [withClock('a', 10), withClock('b', -10)], []],
  ])('%s', (_, all, expected) => {
    const { shared } = judgeDistinct(all);
    expect(shared.filter(({ item }) => item === 'clock').map((one) => one.machines)).toEqual(expected);
  });

  it('are unknown for facts from a file', () => {
    const { clock: _, ...fromFile } = anIdentity('a');
    expect(judgeDistinct([fromFile, anIdentity('b')]).unknown).toMatchObject([{ item: 'clock', machine: 'a' }]);
  });
});
