import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { UserError } from '../../../base/errors.ts';
import type { StandbyTier } from '../../standby.ts';
import { instanceRecordOf } from '../home/instance-records.ts';
import { instanceFiles, instanceFolder } from '../home/layout.ts';
import { none, parkedWorld, problemsIn, type StandbyWorld } from './world.testing.ts';

let world: StandbyWorld;
afterEach(() => world.end());

const ref = () => ({ pool: world.pool, id: 'web-000001' });
const guest = () => world.guests.get(instanceRecordOf(world.context.home, ref()).vmId);
const launches = () => world.calls.filter((call) => call === 'launch');
const claimRecord = () =>
  JSON.parse(readFileSync(join(instanceFolder(world.context.home, ref()), instanceFiles.claim), 'utf8'));

/** Claims an instance whose guest continues, and whose node is Ready at `readyMs` after that, unless it boots. */
async function claimed(tier: StandbyTier, readyMs = Number.POSITIVE_INFINITY): Promise<{ at(ms: number): number }> {
  world = await parkedWorld(tier);
  const { clock, context } = world;
  const joiner = context.joinCluster!;
  const { awaitReady } = joiner;
  await world.provider.standby.claim(world.pool, 1);
  world.calls.length = 0;
  const [continued, beganMs] = [guest(), clock.nowMs()];
  const isReady = () => guest()?.state === 'running' && (guest() !== continued || clock.nowMs() - beganMs >= readyMs);
  joiner.isReady = async () => (world.isClusterDown ? undefined : isReady());
  joiner.awaitReady = async (cluster, joining, options) => {
    const untilMs = clock.nowMs() + options.deadlineMs;
    while (world.isClusterDown || !isReady()) {
      if (clock.nowMs() >= untilMs || !(await joining.isRunning()))
        throw new UserError('web-000001 is not Ready', { code: 'pool/node-not-ready' });
      await clock.sleep(1000, options.signal);
    }
    await awaitReady(cluster, joining, options);
  };
  return { at: (ms) => ms - beganMs };
}

const waits: string[] = [];
const boots: string[] = [];
const wait = (deadlineMs = 900_000) => {
  waits.length = 0;
  boots.length = 0;
  return world.provider.guests.awaitUp(ref(), {
    deadlineMs,
    onWaiting: (what) => waits.push(what),
    onBoot: (why) => boots.push(why),
  });
};
const toldOfBoot = () => waits.filter((what) => what.includes('to boot'));
const inService = async () => {
  await world.provider.standby.deleteStandby(world.pool);
  return problemsIn(world, { inService: 1, counts: none });
};

describe('a claimed guest that continues and never becomes Ready', () => {
  it.each(['paused', 'frozen'] as const)('boots once if it was %s, and says why', async (tier) => {
    await claimed(tier);
    const before = claimRecord();
    await wait();
    expect(launches()).toHaveLength(1);
    expect(toldOfBoot()).toEqual(['web-000001 to boot, because its node was not Ready within 90 s after it continued']);
    expect(boots).toEqual(['its node was not Ready within 90 s after it continued']);
    expect(claimRecord()).toEqual({ ...before, tier: 'cold', steps: [before.steps[0]] });
    expect(before.steps[0].name).toBe('claimed');
    await wait();
    expect(launches()).toHaveLength(1);
    expect(await inService()).toEqual([]);
  });

  it('is not booted a second time', async () => {
    await claimed('frozen');
    world.context.joinCluster!.isReady = async () => false;
    world.context.joinCluster!.awaitReady = async (_, __, { deadlineMs, signal }) => {
      for (let waitedMs = 0; waitedMs < deadlineMs; waitedMs += 1000) await world.clock.sleep(1000, signal);
      throw new UserError('web-000001 is not Ready', { code: 'pool/node-not-ready' });
    };
    await expect(wait()).rejects.toMatchObject({ code: 'pool/node-not-ready' });
    expect(launches()).toHaveLength(1);
  });

  it('boots when it is started by its name, after a claim that did not wait', async () => {
    await claimed('frozen');
    await world.provider.pools.start(ref());
    await wait();
    expect(launches()).toHaveLength(1);
    expect(await inService()).toEqual([]);
  });

  it('is left alone if its node was Ready since the claim: its pods may still run', async () => {
    await claimed('frozen');
    world.context.joinCluster!.wasReady = ({ startedMs }) => startedMs <= world.clock.nowMs();
    await expect(wait()).rejects.toMatchObject({ code: 'pool/node-not-ready' });
    expect([launches(), toldOfBoot()]).toEqual([[], []]);
  });

  it.each(['{', '{"kind":"Claim","steps":[]}'])('is left alone if the record of its claim is %s', async (text) => {
    await claimed('frozen');
    writeFileSync(join(instanceFolder(world.context.home, ref()), instanceFiles.claim), text);
    await expect(wait()).rejects.toMatchObject({ code: 'pool/node-not-ready' });
    expect([launches(), toldOfBoot()]).toEqual([[], []]);
  });

  it('continues while the API server does not answer', async () => {
    await claimed('frozen');
    const continued = guest();
    world.isClusterDown = true;
    await expect(wait()).rejects.toMatchObject({ code: 'pool/node-not-ready' });
    expect([launches(), toldOfBoot(), guest()]).toEqual([[], [], continued]);
    expect(claimRecord().tier).toBe('frozen');
  });

  it.each(['before', 'after'] as const)(
    'boots with the next command if this one is killed %s it ends the guest',
    async (moment) => {
      await claimed('frozen');
      world.interrupt = (call, when) => {
        if (call === 'end' && when === moment) throw new Error('killed');
      };
      await expect(wait()).rejects.toThrow();
      world.interrupt = () => undefined;
      await world.provider.pools.setCapacity(world.pool, 1);
      expect(guest()?.state).toBe('running');
      await wait();
      expect(await inService()).toEqual([]);
    },
  );

  it('stays off if another command stops it meanwhile', async () => {
    await claimed('frozen');
    const { isReady } = world.context.joinCluster!;
    let looks = 0;
    world.context.joinCluster!.isReady = async (...given) => {
      if (++looks === 18) await world.provider.pools.stop(ref());
      return isReady(...given);
    };
    await expect(wait()).rejects.toMatchObject({ code: 'pool/node-not-ready' });
    expect(guest()).toBeUndefined();
    expect(launches()).toEqual([]);
    expect(instanceRecordOf(world.context.home, ref()).wanted).toBe('stopped');
  });
});

describe('a claimed guest that becomes Ready slowly', () => {
  it('is not booted within 90 s', async () => {
    const { at } = await claimed('frozen', 85_000);
    await wait();
    expect(at(world.clock.nowMs())).toBeGreaterThanOrEqual(85_000);
    expect([launches(), toldOfBoot()]).toEqual([[], []]);
    expect(await inService()).toEqual([]);
  });

  it('gets the whole time again after the API server was away', async () => {
    const { at } = await claimed('frozen', 160_000);
    world.isClusterDown = true;
    const { clock } = world;
    const { sleep } = clock;
    clock.sleep = async (...given) => {
      await sleep.apply(clock, given);
      if (at(clock.nowMs()) > 80_000) world.isClusterDown = false;
    };
    await wait();
    expect(at(clock.nowMs())).toBeGreaterThanOrEqual(160_000);
    expect(launches()).toEqual([]);
  });
});
