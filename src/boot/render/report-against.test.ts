import { describe, expect, test } from 'vitest';
import { view } from './report/testing.ts';
import { againstFirst } from './report-against.ts';

const segments = [
  { name: 'a', kind: 'work', source: 'systemd', group: 'early units', startUs: 0, endUs: 60e6 },
] as const;
const boot = (totalUs: number, changes: [string, number][] = [], totalOf = 'kernel start to node-ready') =>
  view([], {
    totalUs,
    totalOf,
    segments: [...segments],
    changes: changes.map(([name, explainsUs]) => ({ id: name, name, change: 'faster', explainsUs })),
  });
const sentence = (...given: Parameters<typeof againstFirst>) => {
  const { text, because } = againstFirst(...given);
  return `${text}${because}.`;
};

describe('againstFirst', () => {
  test('says how much sooner, and names what explains most of it', () => {
    const changes: [string, number][] = [
      ['small', -1e6],
      ['opposite', 5e6],
      ['second', -10e6],
      ['largest', -30e6],
    ];
    expect(sentence(boot(100e6), boot(64e6, changes), 'B')).toBe(
      'B is 36s sooner than A (−36\u00a0%): 30s of it is largest; 10s second.',
    );
  });

  test('says how much later', () => {
    expect(sentence(boot(60e6), boot(61.5e6), 'C')).toBe('C is 1.5s later than A (+3\u00a0%).');
  });

  test('says that totals are the same', () => {
    expect(sentence(boot(60e6), boot(60e6), 'D')).toBe('D takes as long as A.');
  });

  test('does not compare totals of other events, or totals that no input measures', () => {
    expect(sentence(boot(60e6), boot(61e6, [], 'first event to last event'), 'B')).toBe(
      'B is not comparable with A: A is kernel start to node-ready, B first event to last event.',
    );
    expect(againstFirst(boot(60e6), { ...boot(0), segments: [] }, 'B').text).toMatch(/^B is not comparable with A: /);
  });
});
