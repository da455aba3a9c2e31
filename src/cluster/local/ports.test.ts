import fc from 'fast-check';
import { expect, it } from 'vitest';
import { takePorts } from './ports.ts';

it('ports are free, different, not avoided and in the range that the kernel gives to no one', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 6 }),
      fc.double({ min: 0, max: 0.999, noNaN: true }),
      fc.uniqueArray(fc.integer({ min: 20_000, max: 20_050 })),
      async (count, random, avoided) => {
        const world = { random: () => random, isPortFree: async (port: number) => port % 3 !== 0 };
        const ports = await takePorts(count, world, new Set(avoided));
        expect(new Set(ports).size).toBe(count);
        for (const port of ports) {
          expect(port).toBeGreaterThanOrEqual(20_000);
          expect(port).toBeLessThanOrEqual(29_999);
          expect(port % 3).not.toBe(0);
          expect(avoided).not.toContain(port);
        }
      },
    ),
    { numRuns: 50 },
  );
});

it('the last ports of the range are followed by the first', async () => {
  const world = { random: () => 0.9999, isPortFree: async () => true };
  expect(await takePorts(2, world, new Set())).toEqual([29_999, 20_000]);
});

it('where none is free, that is said', async () => {
  const world = { random: () => 0, isPortFree: async () => false };
  await expect(takePorts(1, world, new Set())).rejects.toMatchObject({ code: 'cluster/no-port' });
});
