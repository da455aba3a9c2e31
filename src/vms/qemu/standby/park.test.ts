import { afterEach, describe, expect, it } from 'vitest';
import { instanceFolder } from '../home/layout.ts';
import { FROZEN_FILES, readParked } from './parked-record.ts';
import { prepareMember } from './prepare.ts';
import { keepingWorld, none, problemsIn, type StandbyWorld } from './world.testing.ts';

let world: StandbyWorld;
afterEach(() => world.end());

describe('parking an instance', () => {
  it.each([
    ['paused', 'pause', []],
    ['frozen', 'freeze', [...FROZEN_FILES].sort()],
    ['stopped', 'guest-shutdown', []],
  ] as const)('that will be %s writes down what a claim needs', async (tier, call, files) => {
    world = await keepingWorld();
    const ref = await prepareMember(world.context, world.pool, tier, {});
    expect(world.calls).toContain(call);
    const parked = readParked(instanceFolder(world.context.home, ref));
    expect(parked).toMatchObject({ tier, qemu: '7.2.22', modelRevision: 1, node: {} });
    expect(parked?.certificateEndMs).toBe(Date.UTC(2046, 0, 17, 20, 23, 55));
    expect(Object.keys(parked?.files ?? {}).sort()).toEqual(files);
  });

  it('fails when kubelet has no certificate', async () => {
    world = await keepingWorld();
    world.certificate = 'none';
    const preparing = prepareMember(world.context, world.pool, 'frozen', {});
    await expect(preparing).rejects.toMatchObject({ code: 'vms/no-certificate' });
    expect(await problemsIn(world, { inService: 0, counts: none })).toEqual([]);
  });

  it('fails while its Node cannot be removed, and the next command removes it', async () => {
    world = await keepingWorld();
    const { standby } = world.provider;
    world.interrupt = (call) => {
      world.isClusterDown ||= call === 'freeze';
    };
    await standby.setStandby(world.pool, { counts: { ...none, frozen: 1 } });
    await expect(standby.fillStandby(world.pool)).rejects.toMatchObject({ code: 'cluster/unreachable' });
    expect([...world.nodes.keys()]).toEqual(['web-000001']);
    expect((await standby.readStandby(world.pool))?.trouble).toBe('the API server does not answer');
    world.interrupt = () => undefined;
    world.isClusterDown = false;
    await standby.fillStandby(world.pool);
    expect(await problemsIn(world, { inService: 0, counts: { ...none, frozen: 1 } })).toEqual([]);
  });
});
