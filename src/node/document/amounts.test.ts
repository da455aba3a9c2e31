import { describe, expect, it } from 'vitest';
import { Amounts } from './amounts.ts';

const GI = 2 ** 30;
const MACHINE = { cpu: 4, memory: 16 * GI };
const on = <T>(act: (amounts: Amounts) => T) => {
  const amounts = new Amounts();
  return [act(amounts), amounts.problems.map(({ message }) => message)] as const;
};

describe('Amounts', () => {
  it.each<[string, number | string, number]>([
    ['a number', 4096, 4096],
    ['a quantity', '255Mi', 255 * 2 ** 20],
    ['an expression of the machine', '=memory * 0.5', 8 * GI],
  ])('reads bytes from %s', (_, written, expected) => {
    expect(on((amounts) => amounts.bytes('spec.x', written, MACHINE))).toEqual([expected, []]);
  });

  it.each<[string, number | string, number]>([
    ['a number of cores', 1.5, 1500],
    ['a quantity', '100m', 100],
    ['an expression of the machine', '=cpu * 0.25', 1000],
  ])('reads CPU from %s', (_, written, expected) => {
    expect(on((amounts) => amounts.cpuMillis('spec.x', written, MACHINE))).toEqual([expected, []]);
  });

  it('rounds a count down and checks its range', () => {
    const count = (written: number | string) => on((amounts) => amounts.count('spec.x', written, MACHINE, [1, 30]));
    expect(count(110)).toEqual([110, []]);
    expect(count('=cpu * 2.7')).toEqual([10, []]);
    expect(count('=cpu * 10')[1]).toEqual(['is 40 on this machine, above the maximum 30']);
    expect(count('=cpu - 4')[1]).toEqual(['is 0 on this machine, below the minimum 1']);
  });

  it('reports every amount that is too small on this machine, with its path', () => {
    const amounts = new Amounts();
    expect(amounts.bytes('spec.a', '1k', MACHINE, 4096)).toBeNaN();
    amounts.count('spec.b', '=nonsense', MACHINE, [1, 2]);
    expect(amounts.problems.map(({ path, reason }) => [path, reason])).toEqual([
      ['spec.a', 'config/invalid'],
      ['spec.b', 'config/invalid'],
    ]);
  });

  it('reports a variable without a value on this machine', () => {
    const [value, problems] = on((amounts) => amounts.cpuMillis('spec.x', '=pods * 0.1', MACHINE));
    expect([value, problems.length]).toEqual([Number.NaN, 1]);
  });
});
