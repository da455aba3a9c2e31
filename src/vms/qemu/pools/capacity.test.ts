import { readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { PoolRef } from '../../pools.ts';
import { instancesFolder, poolRef, versionFileNames, versionFolder } from '../home/layout.ts';
import { providerIn } from '../qemu-provider.ts';
import { type Lab, makeLab, poolSpec, publishEmpty } from '../testing.ts';

let lab: Lab;
let pool: PoolRef;
beforeEach(async () => {
  lab = makeLab();
  pool = (await lab.provider.pools.createPool(poolSpec(await publishEmpty(lab)))).ref;
});
afterEach(() => lab.end());

const idsOf = async () => (await lab.provider.pools.listInstances(pool)).map(({ ref }) => ref.id);
const foldersOf = () => readdirSync(instancesFolder(lab.context.home, 'web'));

describe('setCapacity', () => {
  it('returns only the new instances, running', async () => {
    expect((await lab.provider.pools.setCapacity(pool, 2)).map(({ ref, power }) => [ref.id, power])).toEqual([
      ['web-000001', 'running'],
      ['web-000002', 'running'],
    ]);
    expect((await lab.provider.pools.setCapacity(pool, 3)).map(({ ref }) => ref.id)).toEqual(['web-000003']);
    expect(await lab.provider.pools.setCapacity(pool, 3)).toEqual([]);
  });

  it('deletes the newest that are not protected, and never reuses a name', async () => {
    const [, second, third] = await lab.provider.pools.setCapacity(pool, 4);
    await lab.provider.pools.setProtection(third!.ref, { fromScaleIn: true, fromPoolActions: false });
    await lab.provider.pools.setCapacity(pool, 2);
    expect(await idsOf()).toEqual(['web-000001', 'web-000003']);
    await lab.provider.pools.setCapacity(pool, 3);
    expect(await idsOf()).toEqual(['web-000001', 'web-000003', 'web-000005']);
    expect(lab.machines.ended).toContain(second!.vmId);
  });

  it('deletes none when too few are unprotected', async () => {
    for (const { ref } of await lab.provider.pools.setCapacity(pool, 2))
      await lab.provider.pools.setProtection(ref, { fromScaleIn: true, fromPoolActions: false });
    await lab.provider.pools.setCapacity(pool, 3);
    await expect(lab.provider.pools.setCapacity(pool, 1)).rejects.toMatchObject({ code: 'vms/protected' });
    expect(await idsOf()).toHaveLength(3);
  });

  it.each([-1, 1.5, Number.NaN])('refuses %d instances', async (count) => {
    await expect(lab.provider.pools.setCapacity(pool, count)).rejects.toMatchObject({ code: 'vms/bad-capacity' });
  });

  it('leaves nothing of an instance that could not be started', async () => {
    lab.machines.failNextLaunch = new Error('no');
    await expect(lab.provider.pools.setCapacity(pool, 1)).rejects.toThrow('no');
    expect(foldersOf()).toEqual([]);
    expect(await idsOf()).toEqual([]);
  });

  it('reports needed and free space when the disk is too small, and writes nothing', async () => {
    const provider = providerIn({ ...lab.context, freeBytes: async () => 1000 });
    await expect(provider.pools.setCapacity(pool, 1)).rejects.toMatchObject({ code: 'vms/no-space' });
    expect(foldersOf()).toEqual([]);
  });

  it('makes no instance from a damaged image', async () => {
    const folder = versionFolder(lab.context.home, { gallery: 'headstart', definition: 'empty', version: '1.0.0' });
    rmSync(join(folder, versionFileNames.vmlinux));
    writeFileSync(join(folder, versionFileNames.vmlinux), 'another kernel');
    await expect(lab.provider.pools.setCapacity(pool, 1)).rejects.toMatchObject({ code: 'vms/version-damaged' });
    expect(foldersOf()).toEqual([]);
  });

  it('gives every instance a distinct name, address and VM id when two commands run at once', async () => {
    const other = (await lab.provider.pools.createPool({ ...(await lab.provider.pools.readSpec(pool)), name: 'other' }))
      .ref;
    await Promise.all([
      lab.provider.pools.setCapacity(pool, 3),
      lab.provider.pools.setCapacity(pool, 3),
      lab.provider.pools.setCapacity(other, 2),
    ]);
    const all = (await Promise.all([pool, other].map((one) => lab.provider.pools.listInstances(one)))).flat();
    expect(all).toHaveLength(5);
    const places = await Promise.all(all.map(({ ref }) => lab.provider.guests.readDetails(ref)));
    for (const values of [
      all.map(({ ref }) => ref.id),
      all.map(({ vmId }) => vmId),
      places.map(({ address }) => address),
    ])
      expect(new Set(values).size).toBe(5);
  });
});

describe('a pool that many commands change at once', () => {
  it('ends in a state that sequential commands would also reach', async () => {
    const order = fc.constantFrom<(provider: Lab['provider']) => Promise<unknown>>(
      (provider) => provider.pools.setCapacity(pool, 2),
      (provider) => provider.pools.setCapacity(pool, 1),
      (provider) => provider.pools.tagPool(pool, { a: '1' }),
      (provider) => provider.pools.setUserData(pool, 'YQ=='),
      async (provider) => {
        const [first] = await provider.pools.listInstances(pool);
        if (first) await provider.pools.tagInstance(first.ref, { b: '2' });
      },
    );
    await fc.assert(
      fc.asyncProperty(fc.array(order, { minLength: 2, maxLength: 5 }), async (orders) => {
        const before = Number((await lab.provider.pools.readPool(pool))!.etag);
        // The instance may be deleted before a call reaches it; NotFound is expected then.
        await Promise.allSettled(orders.map((one) => one(lab.provider)));
        const after = (await lab.provider.pools.readPool(pool))!;
        const instances = await lab.provider.pools.listInstances(pool);
        expect(after.capacity).toBe(instances.length);
        expect(Number(after.etag)).toBeGreaterThanOrEqual(before);
        expect(foldersOf()).toEqual(instances.map(({ ref }) => ref.id));
        for (const { power } of instances) expect(power).toBe('running');
      }),
      { numRuns: 8 },
    );
  });
});

describe('pools that do not exist', () => {
  it('cannot be scaled, and can be deleted', async () => {
    await expect(lab.provider.pools.setCapacity(poolRef('none'), 1)).rejects.toMatchObject({ code: 'vms/not-found' });
    await lab.provider.pools.deletePool(poolRef('none'));
  });
});
