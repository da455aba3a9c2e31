import { createServer } from 'node:net';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isPortFree, takePorts } from './ports.ts';

describe('the ports of a cluster', () => {
  it('are the requested number, different, free and not to be avoided', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 8 }),
        fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
        fc.uniqueArray(fc.integer({ min: 20_000, max: 20_040 })),
        fc.uniqueArray(fc.integer({ min: 20_000, max: 20_040 })),
        async (count, random, avoided, busy) => {
          const deps = { random: () => random, isPortFree: async (port: number) => !busy.includes(port) };
          const ports = await takePorts(count, deps, new Set(avoided));
          expect(new Set(ports).size).toBe(count);
          expect(ports.filter((port) => avoided.includes(port) || busy.includes(port))).toEqual([]);
          expect(ports.every((port) => port >= 20_000 && port <= 29_999)).toBe(true);
        },
      ),
    );
  });

  it('fail with an error if none is left', async () => {
    const deps = { random: () => 0, isPortFree: async () => false };
    await expect(takePorts(1, deps, new Set())).rejects.toMatchObject({ code: 'cluster/no-port' });
  });
});

describe('a port', () => {
  it('is free only while no server listens on it', async () => {
    const server = createServer();
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    const { port } = server.address() as { port: number };
    expect(await isPortFree(port)).toBe(false);
    await new Promise((done) => server.close(done));
    expect(await isPortFree(port)).toBe(true);
  });
});
