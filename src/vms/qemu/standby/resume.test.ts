import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { TransientError, UserError } from '../../../base/errors.ts';
import { STANDBY_TIERS, type StandbyTier } from '../../standby.ts';
import { instanceRecordOf } from '../home/instance-records.ts';
import { instanceFiles, instanceFolder } from '../home/layout.ts';
import type { ParkedRecord } from './parked-record.ts';
import { readParked, writeParked } from './parked-record.ts';
import { none, parkedWorld, problemsIn, type StandbyWorld, standbyWorld, TAINT } from './world.testing.ts';

let world: StandbyWorld;
let folder: string;
afterEach(() => world.end());

async function parked(tier: StandbyTier): Promise<void> {
  world = await parkedWorld(tier);
  folder = instanceFolder(world.context.home, { pool: world.pool, id: 'web-000001' });
}
const ref = () => ({ pool: world.pool, id: 'web-000001' });
const edit = (changes: Partial<ParkedRecord>) => writeParked(folder, { ...readParked(folder)!, ...changes });
const claim = async () => (await world.provider.standby.claim(world.pool, 1))[0]!;
const start = () => world.provider.pools.start(ref());
const inService = async () => {
  await world.provider.guests.awaitUp(ref(), { deadlineMs: 60_000 });
  await world.provider.standby.deleteStandby(world.pool);
  return problemsIn(world, { inService: 1, counts: none });
};

describe('a claimed instance', () => {
  it.each(['paused', 'frozen', 'stopped'] as const)('that was %s continues, and is like any other', async (tier) => {
    await parked(tier);
    expect(await claim()).toMatchObject({ from: tier });
    expect(await inService()).toEqual([]);
  });

  it('has a record of its claim with the time of each step', async () => {
    await parked('frozen');
    await claim();
    const file = join(folder, instanceFiles.claim);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const { tier, steps } = JSON.parse(readFileSync(file, 'utf8')) as { tier: string; steps: { name: string }[] };
    expect(tier).toBe('frozen');
    expect(steps.map(({ name }) => name).sort()).toEqual(['claimed', 'node-created', 'thawed', 'woken']);
  });

  const claimRecord = () =>
    JSON.parse(readFileSync(join(folder, instanceFiles.claim), 'utf8')) as {
      tier: string;
      frozenAt?: string;
      steps: { name: string; at: string }[];
    };

  it.each<[string, () => Promise<unknown>]>([
    ['a claim', claim],
    ['a start by its name', start],
  ])('that was stopped has a record with the time of %s, and no thaw', async (_what, take) => {
    await parked('stopped');
    const { parkedMs } = readParked(folder)!;
    world.clock.advance(3_600_000);
    const claimedMs = world.clock.nowMs();
    world.interrupt = (call, when) => void (call === 'launch' && when === 'before' && world.clock.advance(5000));
    await take();
    expect(claimRecord()).toMatchObject({
      ...{ tier: 'stopped', frozenAt: new Date(parkedMs).toISOString() },
      steps: [{ name: 'claimed', at: new Date(claimedMs).toISOString() }],
    });
  });

  it('has a record of its claim also when it boots instead of continuing, and it says so', async () => {
    await parked('frozen');
    writeFileSync(join(folder, instanceFiles.memory), 'x');
    await claim();
    expect(claimRecord()).toMatchObject({ tier: 'cold', steps: [{ name: 'claimed' }] });
    expect(claimRecord().steps).toHaveLength(1);
  });

  it('has a record of its claim without the time of its freeze when that is lost', async () => {
    await parked('stopped');
    rmSync(join(folder, instanceFiles.parked));
    await start();
    expect(claimRecord()).toMatchObject({ tier: 'stopped', steps: [{ name: 'claimed' }] });
    expect(claimRecord().frozenAt).toBeUndefined();
  });

  it.each<[string, () => void, string]>([
    ['a changed memory file', () => writeFileSync(join(folder, instanceFiles.memory), 'x'), 'memory.img is not as'],
    ['a missing state file', () => rmSync(join(folder, instanceFiles.devices)), 'devices.img is not as'],
    ['another QEMU', () => edit({ qemu: '9.0.0' }), 'it was frozen by QEMU 9.0.0'],
    [
      'a device that is gone',
      () => edit({ shape: [...readParked(folder)!.shape, '-device x'] }),
      'machine is different',
    ],
    ['a new device', () => edit({ shape: readParked(folder)!.shape.slice(1) }), 'machine is different'],
  ])('boots after %s, and says why', async (_what, change, why) => {
    await parked('frozen');
    change();
    const claimed = await claim();
    expect(claimed).toMatchObject({ from: 'cold', why: expect.stringContaining(why) });
    expect(claimed.instance.ref.id).toBe('web-000001');
    expect(await inService()).toEqual([]);
  });

  // `pool start` takes an instance by its name, whatever its state.
  it.each(['paused', 'frozen'] as const)('that was %s boots when its certificate has expired', async (tier) => {
    await parked(tier);
    edit({ certificateEndMs: world.clock.nowMs() });
    await start();
    expect(world.calls).toContain('launch');
    expect(await inService()).toEqual([]);
  });

  it.each(['paused', 'frozen'] as const)('that was %s boots when its record is missing', async (tier) => {
    await parked(tier);
    rmSync(join(folder, instanceFiles.parked));
    await start();
    expect(await inService()).toEqual([]);
  });

  it('boots when its guest does not answer', async () => {
    await parked('frozen');
    world.interrupt = (call, when) => {
      if (call === 'guest' && when === 'before') throw new TransientError('silence', { code: 'x' });
    };
    expect(await claim()).toMatchObject({ from: 'cold', why: 'silence' });
    world.interrupt = () => undefined;
    expect(await inService()).toEqual([]);
  });

  it('applies a document that changed, and is tainted until then', async () => {
    await parked('frozen');
    await world.provider.pools.setUserData(world.pool, 'YQ==');
    const taints: string[][] = [];
    world.interrupt = (call) => void (call.startsWith('release') && taints.push(world.nodes.get(ref().id) ?? []));
    expect(await claim()).toMatchObject({ from: 'frozen' });
    expect(taints[0]).toEqual([TAINT]);
    expect([...world.guests.values()].map(({ applied }) => applied)).toEqual([1]);
    expect(await inService()).toEqual([]);
  });

  it.each(STANDBY_TIERS)(
    'that was %s before the API server moved is Ready, or the claim says why not it',
    async (tier) => {
      await parked(tier);
      world.apiPort = 7443;
      const [member] = (await world.provider.standby.readStandby(world.pool))!.members;
      const claimed = await claim();
      if (tier === 'paused') {
        expect(member).toMatchObject({ state: 'broken', why: expect.stringContaining('API server has moved') });
        expect(claimed).toMatchObject({ from: 'cold', why: expect.stringContaining('API server has moved') });
        expect(claimed.instance.ref.id).toBe('web-000002');
      } else expect(claimed).toMatchObject({ from: tier, instance: { ref: { id: 'web-000001' } } });
      await world.provider.guests.awaitUp(claimed.instance.ref, { deadlineMs: 60_000 });
      await world.provider.standby.deleteStandby(world.pool);
      expect(await problemsIn(world, { inService: 1, counts: none })).toEqual([]);
    },
  );

  it('that was paused boots when it is started by its name after the API server moved', async () => {
    await parked('paused');
    world.apiPort = 7443;
    await start();
    expect(world.calls).toContain('launch');
    expect(await inService()).toEqual([]);
  });

  it('is continued by the next command when its Node could not be created', async () => {
    await parked('frozen');
    world.isClusterDown = true;
    await expect(claim()).rejects.toBeInstanceOf(TransientError);
    expect(world.refilled).toEqual(['web']);
    expect(instanceRecordOf(world.context.home, ref()).resume).toMatchObject({ phase: 'running' });
    world.isClusterDown = false;
    await world.provider.pools.setCapacity(world.pool, 1);
    expect(await inService()).toEqual([]);
    expect(existsSync(join(folder, instanceFiles.memory))).toBe(false);
  });

  it('boots when its Node cannot be created from what was written down, and says why', async () => {
    await parked('frozen');
    world.interrupt = (call, when) => {
      if (call.startsWith('createNode') && when === 'before')
        throw new UserError('the Node of web-000001 was written down by another version', { code: 'cluster/bad-seed' });
    };
    expect(await claim()).toMatchObject({ from: 'cold', why: expect.stringContaining('another version') });
    expect(await inService()).toEqual([]);
  });

  // kubelet has renewed it since; the record has the certificate of the freeze.
  it('that runs is not booted again because the certificate of its freeze has ended', async () => {
    await parked('frozen');
    world.isClusterDown = true;
    await expect(claim()).rejects.toBeInstanceOf(TransientError);
    world.isClusterDown = false;
    edit({ certificateEndMs: world.clock.nowMs() });
    world.calls.length = 0;
    await world.provider.pools.setCapacity(world.pool, 1);
    expect(world.calls.filter((call) => call === 'launch' || call === 'end')).toEqual([]);
    expect(await inService()).toEqual([]);
  });

  it.each<[string, string]>([
    ['cut off', '{"tier":"froz'],
    ['of a newer headstart', '{"tier":"frozen","parkedMs":1,"encryption":"aes"}'],
  ])('boots when its record is %s, as others of the pool that are parked can still be claimed', async (_what, text) => {
    world = await standbyWorld();
    const { standby, pools } = world.provider;
    await standby.setStandby(world.pool, { counts: { ...none, frozen: 2 } });
    await standby.fillStandby(world.pool);
    folder = instanceFolder(world.context.home, ref());
    writeFileSync(join(folder, instanceFiles.parked), text);
    expect((await standby.readStandby(world.pool))?.members).toMatchObject([
      { state: 'broken', why: expect.stringContaining('record') },
      { state: 'ready' },
    ]);
    expect(await claim()).toMatchObject({ from: 'frozen', instance: { ref: { id: 'web-000002' } } });
    await pools.start(ref());
    await world.provider.guests.awaitUp(ref(), { deadlineMs: 60_000 });
    await standby.fillStandby(world.pool);
    expect(await problemsIn(world, { inService: 2, counts: { ...none, frozen: 2 } })).toEqual([]);
  });
});
