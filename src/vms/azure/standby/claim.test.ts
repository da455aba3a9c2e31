import type { HttpClient } from '@azure/core-rest-pipeline';
import { describe, expect, it } from 'vitest';
import { keyOf } from '../../../../sims/azure/world.ts';
import { createAzureStandby } from '../azure-standby.ts';
import { counts, standbyTests } from './standby.testing.ts';

const on = standbyTests();

describe('a claim on Azure', () => {
  it.each(['paused', 'frozen', 'stopped'] as const)(
    'takes a %s instance, and the pool is filled again',
    async (tier) => {
      await on.kept({ [tier]: 1 });
      const [parked] = on.lab.waiting();
      const [claim] = await on.lab.standby.claim(on.lab.pool, 1);
      expect(claim).toMatchObject({ from: tier, instance: { vmId: parked?.vmId, power: 'running' } });
      expect(claim?.why).toBeUndefined();
      await on.lab.settle();
      expect(await on.tally()).toEqual(counts({ [tier]: 1 }));
      expect(on.lab.waiting()[0]?.vmId).not.toBe(parked?.vmId);
    },
  );

  it('of more than there are gets new ones for the rest, and says why', async () => {
    await on.kept({ stopped: 1 });
    const claims = await on.lab.standby.claim(on.lab.pool, 3);
    expect(claims.map(({ from }) => from)).toEqual(['stopped', 'cold', 'cold']);
    expect(claims.find(({ from }) => from === 'cold')?.why).toContain('no more ready VMs: 1 Deallocated');
  });

  it('while the pool prepares gets a new one, and says in which state the others are', async () => {
    await on.start();
    await on.lab.standby.setStandby(on.lab.pool, { counts: counts({ stopped: 2 }) });
    const [claim] = await on.lab.standby.claim(on.lab.pool, 1);
    expect(claim).toMatchObject({ from: 'cold', why: expect.stringContaining('2 Creating') });
  });

  it('cannot leave the place of an instance empty, and changes nothing', async () => {
    await on.kept({ stopped: 1 });
    const claim = on.lab.standby.claim(on.lab.pool, 1, { leaveEmpty: true });
    await expect(claim).rejects.toMatchObject({ code: 'vms/always-refills' });
    expect(await on.tally()).toEqual(counts({ stopped: 1 }));
  });

  it('without a standby pool gets new ones, also of a Uniform set', async () => {
    await on.start({ mode: 'Uniform' });
    const [claim] = await on.lab.standby.claim(on.lab.pool, 1);
    expect(claim).toMatchObject({ from: 'cold', why: 'the scale set has no standby pool' });
  });

  it('names the degraded health of the pool', async () => {
    await on.start();
    on.lab.sim.fail({ on: 'PUT standbyVirtualMachinePools', kind: 'standby-degraded' });
    await on.lab.standby.setStandby(on.lab.pool, { counts: counts({ paused: 1 }) });
    const [claim] = await on.lab.standby.claim(on.lab.pool, 1);
    expect(claim?.why).toContain('HealthState/degraded');
  });

  it('that comes after an autoscaler says that the instance was taken', async () => {
    await on.kept({ paused: 1 });
    const grown = on.lab.grow(on.lab.pool);
    const [claim] = await on.lab.standby.claim(on.lab.pool, 1);
    await grown;
    expect(claim?.from).toBe('cold');
    expect(on.lab.inService()).toHaveLength(4);
    expect(on.lab.inService().filter(({ standby }) => standby?.isIn === false)).toHaveLength(1);
  });

  it('at the same time as another gets other instances', async () => {
    await on.kept({ paused: 2 });
    const both = await Promise.all(
      [1, 2].map(() => createAzureStandby(on.lab.settings, on.lab.deps).claim(on.lab.pool, 1)),
    );
    const claims = both.flat();
    expect(new Set(claims.map(({ instance }) => instance.ref.id.toLowerCase())).size).toBe(2);
    expect(on.lab.inService()).toHaveLength(4);
    expect(claims.filter(({ from }) => from === 'paused').length).toBeGreaterThan(0);
  });

  it('looks again when another client grows the set between its look and its request', async () => {
    await on.kept({ paused: 1 });
    let isGrown = false;
    const { sendRequest } = on.lab.deps.httpClient!;
    const httpClient: HttpClient = {
      async sendRequest(request) {
        if (request.method === 'PATCH' && !isGrown) {
          isGrown = true;
          await on.lab.grow(on.lab.pool);
        }
        return sendRequest(request);
      },
    };
    const [claim] = await createAzureStandby(on.lab.settings, { ...on.lab.deps, httpClient }).claim(on.lab.pool, 1);
    expect(claim).toMatchObject({ from: 'cold', why: expect.stringContaining('Creating') });
    expect(on.lab.inService()).toHaveLength(4);
  });

  it('that is killed and repeated loses nothing: both are in the pool and count', async () => {
    await on.kept({ paused: 2 });
    const killed = new AbortController();
    const onWaiting = (what: string) => {
      if (what.startsWith('growing')) killed.abort();
    };
    await expect(on.lab.standby.claim(on.lab.pool, 1, { signal: killed.signal, onWaiting })).rejects.toThrow();
    const [claim] = await on.lab.standby.claim(on.lab.pool, 1);
    expect(claim?.from).toBe('paused');
    expect(on.lab.inService()).toHaveLength(4);
    await on.lab.settle();
    expect(await on.tally()).toEqual(counts({ paused: 2 }));
    const ids = on.lab.inService().map(({ id }) => keyOf(id));
    expect(on.lab.waiting().filter(({ id }) => ids.includes(keyOf(id)))).toEqual([]);
  });

  it('whose answer was lost adds the instance once', async () => {
    await on.kept({ paused: 1 });
    on.lab.sim.fail({ on: 'PATCH virtualMachineScaleSets', kind: 'answer-lost' });
    expect((await on.lab.standby.claim(on.lab.pool, 1)).map(({ from }) => from)).toEqual(['paused']);
    expect(on.lab.inService()).toHaveLength(3);
  });

  it.each(['throttle', 'conflict', 'server-error', 'connection-reset'] as const)(
    'survives %s at every request',
    async (kind) => {
      await on.start();
      for (const where of ['GET *', 'PUT *', 'PATCH *']) on.lab.sim.fail({ on: where, kind });
      for (let tries = 1; ; tries++) {
        const done = await on.lab.standby.setStandby(on.lab.pool, { counts: counts({ paused: 1 }) }).then(
          () => true,
          (error: Error) => {
            expect([error.name, tries < 3]).toEqual(['Conflict', true]);
            return false;
          },
        );
        if (done) break;
      }
      await on.lab.settle();
      expect((await on.lab.standby.claim(on.lab.pool, 1)).map(({ from }) => from)).toEqual(['paused']);
    },
  );
});
