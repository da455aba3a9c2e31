import { afterEach, describe, expect, it } from 'vitest';
import { instanceFolder } from '../home/layout.ts';
import { poolSpec } from '../testing.ts';
import { readParked } from './parked-record.ts';
import { prepareMember } from './prepare.ts';
import { keepingWorld, none, problemsIn, type StandbyWorld } from './world.testing.ts';

let world: StandbyWorld;
afterEach(() => world.end());
const nothing = { inService: 0, counts: none };

describe('preparing an instance', () => {
  it('lets it join, checks it, and parks it without a Node', async () => {
    const checked: string[] = [];
    world = await keepingWorld({ checkStandby: async ({ id }) => void checked.push(id) });
    const ref = await prepareMember(world.context, world.pool, 'frozen', {});
    expect(checked).toEqual([ref.id]);
    expect(world.nodes.size).toBe(0);
    const order = ['launch', `awaitReady ${ref.id}`, `readSeed ${ref.id}`, 'freeze', `forgetNode ${ref.id}`];
    expect(world.calls.filter((call) => order.includes(call)).slice(-5)).toEqual(order);
  });

  it.each([2048, 4096, 8192])('needs space for %i MB of memory', async (memoryMb) => {
    const freeBytes = memoryMb * 2 ** 20; // and the disk
    world = await keepingWorld({ freeBytes: async () => freeBytes });
    const { pools } = world.provider;
    const spec = await pools.readSpec(world.pool);
    const { ref } = await pools.createPool({ ...poolSpec(''), ...spec, name: 'big', size: { ...spec.size, memoryMb } });
    await expect(prepareMember(world.context, ref, 'frozen', {})).rejects.toMatchObject({ code: 'vms/no-space' });
  });

  it('makes none for a pool that keeps none any more', async () => {
    world = await keepingWorld();
    await world.provider.standby.deleteStandby(world.pool);
    const preparing = prepareMember(world.context, world.pool, 'paused', {});
    await expect(preparing).rejects.toMatchObject({ code: 'vms/not-preparing' });
    expect(await problemsIn(world, nothing)).toEqual([]);
  });

  it('fails, and leaves nothing, when its Node is deleted before it is tainted', async () => {
    world = await keepingWorld();
    world.interrupt = (call, when) => {
      if (call.startsWith('awaitReady') && when === 'after') world.nodes.clear();
    };
    await expect(prepareMember(world.context, world.pool, 'frozen', {})).rejects.toMatchObject({
      code: 'test/no-taint',
    });
    expect(await problemsIn(world, nothing)).toEqual([]);
  });

  it('leaves nothing of one that could not be started', async () => {
    world = await keepingWorld();
    world.interrupt = (call, when) => {
      if (call === 'launch' && when === 'before') throw new Error('no QEMU');
    };
    await expect(prepareMember(world.context, world.pool, 'paused', {})).rejects.toThrow('no QEMU');
    expect(await problemsIn(world, nothing)).toEqual([]);
  });

  it('refuses a certificate that ends before the node could be used', async () => {
    world = await keepingWorld();
    world.clock.advance(Date.UTC(2046, 0, 17, 20, 20) - world.clock.nowMs());
    const preparing = prepareMember(world.context, world.pool, 'frozen', {});
    await expect(preparing).rejects.toMatchObject({ code: 'vms/short-certificate' });
    expect(await problemsIn(world, nothing)).toEqual([]);
  });

  it('records the document that it was made with, not one that was assigned since', async () => {
    world = await keepingWorld();
    const { pools, standby } = world.provider;
    let isChanged = false;
    world.interrupt = async (call, when) => {
      if (!call.startsWith('awaitReady') || when === 'before' || isChanged) return;
      isChanged = true;
      await pools.setUserData(world.pool, 'YQ==');
    };
    const ref = await prepareMember(world.context, world.pool, 'frozen', {});
    const parked = readParked(instanceFolder(world.context.home, ref));
    await standby.setStandby(world.pool, { counts: { ...none, frozen: 1 } });
    expect((await standby.readStandby(world.pool))?.members).toMatchObject([
      { why: expect.stringContaining('document') },
    ]);
    expect(parked?.tier).toBe('frozen');
  });
});
