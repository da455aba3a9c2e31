import { describe, expect, it } from 'vitest';
import { Bench } from './testing.ts';
import { hex, instancesOf, random, timestamp, uuid } from './world.ts';

describe('chance in the simulated world', () => {
  it('is the same from the same seed, and lies in [0, 1)', () => {
    const numbers = (seed: number) => {
      const luck = { random: seed };
      return Array.from({ length: 1000 }, () => random(luck));
    };
    expect(numbers(7)).toEqual(numbers(7));
    expect(numbers(7)).not.toEqual(numbers(8));
    for (const number of numbers(7)) expect(number >= 0 && number < 1).toBe(true);
  });

  it('makes ids of the form that Azure gives out, each another', () => {
    const { world } = new Bench();
    const ids = Array.from({ length: 100 }, () => uuid(world));
    for (const id of ids) expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(new Set(ids).size).toBe(100);
    expect(hex(world, 5)).toMatch(/^[0-9a-f]{5}$/);
  });
});

describe('the simulated world', () => {
  it('writes times as the service does', () => {
    expect(timestamp(Date.UTC(2026, 10, 17, 8, 0, 0, 5))).toBe('2026-11-17T08:00:00.0050000+00:00');
  });

  it('finds the instances of a set by its id in any case', () => {
    const bench = new Bench({
      scaleSets: [
        { name: 'pool1', instances: 2 },
        { name: 'pool10', instances: 1 },
      ],
    });
    const [one, ten] = Object.values(bench.world.scaleSets);
    expect(instancesOf(bench.world, { id: one!.id.toUpperCase() })).toHaveLength(2);
    expect(instancesOf(bench.world, ten!)).toHaveLength(1);
  });
});
