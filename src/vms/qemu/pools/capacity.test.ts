import { readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { PoolRef } from '../../factory.ts';
import { instancesFolder, poolRef, versionFiles, versionFolder } from '../home/layout.ts';
import { factoryIn } from '../qemu-factory.ts';
import { type Lab, makeLab, poolSpec, publishEmpty } from '../testing.ts';

let lab: Lab;
let pool: PoolRef;
beforeEach(async () => {
  lab = makeLab();
  pool = (await lab.factory.createPool(poolSpec(await publishEmpty(lab)))).ref;
});
afterEach(() => lab.end());

const idsOf = async () => (await lab.factory.listInstances(pool)).map(({ ref }) => ref.id);
const foldersOf = () => readdirSync(instancesFolder(lab.context.home, 'web'));

describe('setCapacity', () => {
  it('gives the new ones only, running', async () => {
    expect((await lab.factory.setCapacity(pool, 2)).map(({ ref, power }) => [ref.id, power])).toEqual([
      ['web-000001', 'running'],
      ['web-000002', 'running'],
    ]);
    expect((await lab.factory.setCapacity(pool, 3)).map(({ ref }) => ref.id)).toEqual(['web-000003']);
    expect(await lab.factory.setCapacity(pool, 3)).toEqual([]);
  });

  it('takes the newest that are not protected, and never uses a name twice', async () => {
    const [, second, third] = await lab.factory.setCapacity(pool, 4);
    await lab.factory.setProtection(third!.ref, { fromScaleIn: true, fromPoolActions: false });
    await lab.factory.setCapacity(pool, 2);
    expect(await idsOf()).toEqual(['web-000001', 'web-000003']);
    await lab.factory.setCapacity(pool, 3);
    expect(await idsOf()).toEqual(['web-000001', 'web-000003', 'web-000005']);
    expect(lab.machines.ended).toContain(second!.vmId);
  });

  it('takes none at all when not enough are unprotected', async () => {
    for (const { ref } of await lab.factory.setCapacity(pool, 2))
      await lab.factory.setProtection(ref, { fromScaleIn: true, fromPoolActions: false });
    await lab.factory.setCapacity(pool, 3);
    await expect(lab.factory.setCapacity(pool, 1)).rejects.toMatchObject({ code: 'vms/protected' });
    expect(await idsOf()).toHaveLength(3);
  });

  it.each([-1, 1.5, Number.NaN])('refuses %d instances', async (count) => {
    await expect(lab.factory.setCapacity(pool, count)).rejects.toMatchObject({ code: 'vms/bad-capacity' });
  });

  it('leaves nothing of an instance that could not be started', async () => {
    lab.machines.failNextLaunch = new Error('no');
    await expect(lab.factory.setCapacity(pool, 1)).rejects.toThrow('no');
    expect(foldersOf()).toEqual([]);
    expect(await idsOf()).toEqual([]);
  });

  it('says what is needed and what is there when the disk is too small, and writes nothing', async () => {
    const factory = factoryIn({ ...lab.context, freeBytes: async () => 1000 });
    await expect(factory.setCapacity(pool, 1)).rejects.toMatchObject({ code: 'vms/no-space' });
    expect(foldersOf()).toEqual([]);
  });

  it('makes nothing from an image that is not what was published', async () => {
    const folder = versionFolder(lab.context.home, { gallery: 'headstart', definition: 'empty', version: '1.0.0' });
    rmSync(join(folder, versionFiles.vmlinux));
    writeFileSync(join(folder, versionFiles.vmlinux), 'another kernel');
    await expect(lab.factory.setCapacity(pool, 1)).rejects.toMatchObject({ code: 'vms/version-damaged' });
    expect(foldersOf()).toEqual([]);
  });

  it('in two commands at once gives every instance its own name, address and VM id', async () => {
    const other = (await lab.factory.createPool({ ...(await lab.factory.readSpec(pool)), name: 'other' })).ref;
    await Promise.all([
      lab.factory.setCapacity(pool, 3),
      lab.factory.setCapacity(pool, 3),
      lab.factory.setCapacity(other, 2),
    ]);
    const all = (await Promise.all([pool, other].map((one) => lab.factory.listInstances(one)))).flat();
    expect(all).toHaveLength(5);
    const places = await Promise.all(all.map(({ ref }) => lab.factory.placeOf(ref)));
    for (const values of [
      all.map(({ ref }) => ref.id),
      all.map(({ vmId }) => vmId),
      places.map(({ address }) => address),
    ])
      expect(new Set(values).size).toBe(5);
  });
});

describe('a pool that many commands change at once', () => {
  it('ends as one of them after the other would have left it', async () => {
    const order = fc.constantFrom<(factory: Lab['factory']) => Promise<unknown>>(
      (factory) => factory.setCapacity(pool, 2),
      (factory) => factory.setCapacity(pool, 1),
      (factory) => factory.tagPool(pool, { a: '1' }),
      (factory) => factory.setUserData(pool, 'YQ=='),
      async (factory) => {
        const [first] = await factory.listInstances(pool);
        if (first) await factory.tagInstance(first.ref, { b: '2' });
      },
    );
    await fc.assert(
      fc.asyncProperty(fc.array(order, { minLength: 2, maxLength: 5 }), async (orders) => {
        const before = Number((await lab.factory.readPool(pool))!.etag);
        // What an order is about may be gone by the time it comes to it, and then it says so.
        await Promise.allSettled(orders.map((one) => one(lab.factory)));
        const after = (await lab.factory.readPool(pool))!;
        const instances = await lab.factory.listInstances(pool);
        expect(after.capacity).toBe(instances.length);
        expect(Number(after.etag)).toBeGreaterThanOrEqual(before);
        expect(foldersOf()).toEqual(instances.map(({ ref }) => ref.id));
        for (const { power } of instances) expect(power).toBe('running');
      }),
      { numRuns: 8 },
    );
  });
});

describe('pools that are not there', () => {
  it('are neither scaled nor missed', async () => {
    await expect(lab.factory.setCapacity(poolRef('none'), 1)).rejects.toMatchObject({ code: 'vms/not-found' });
    await lab.factory.deletePool(poolRef('none'));
  });
});
