import { describe, expect, it } from 'vitest';
import { NoCapacity } from '../../base/failures.ts';
import {
  none,
  parkedWorld,
  problemsIn,
  type StandbyWorld,
  standbyWorld,
} from '../../vms/qemu/standby/world.testing.ts';
import { poolSpec } from '../../vms/qemu/testing.ts';
import type { StandbyMember } from '../../vms/standby.ts';
import { fakePools } from '../testing.ts';
import { openNodeGroup, TARGET_TAG } from './node-group.ts';

async function makeGroup({ parked = 0 } = {}) {
  const pools = fakePools('');
  const image = await pools.addImage('headstart', 'debian-12', '2026.11.15');
  const { ref } = await pools.pools.createPool(poolSpec(image));
  const members = Array.from(
    { length: parked },
    (_, at): StandbyMember => ({
      instance: { pool: ref, id: `web-s${at}` },
      ...{ tier: 'frozen', state: 'ready', why: '' },
    }),
  );
  pools.standbyStates.set('web', { policy: { counts: { paused: 0, frozen: parked, stopped: 0 } }, members });
  const claims: number[] = [];
  const { claim } = pools.standby;
  let failure: Error | undefined;
  pools.standby.claim = async (pool, count, options) => {
    claims.push(count);
    const thrown = failure;
    failure = undefined;
    if (thrown) throw thrown;
    return claim(pool, count, options);
  };
  const reports: string[] = [];
  const stopping = new AbortController();
  const deps = { provider: pools, report: (what: string) => void reports.push(what), signal: stopping.signal };
  const open = (mark: string) => openNodeGroup({ pool: ref, min: 0, max: 9 }, { ...deps, mark });
  return {
    pools,
    ref,
    claims,
    reports,
    stopping,
    open,
    group: open('a'),
    failNext: (error: Error) => (failure = error),
  };
}

describe('a node group', () => {
  it('takes parked nodes together and first, then makes cold ones one by one', async () => {
    const { group, claims, reports } = await makeGroup({ parked: 2 });
    await group.increase(4);
    await group.settle();
    expect(claims).toEqual([2, 1, 1]);
    expect(reports[0]).toBe('web: 4 more requested, 4 in all');
    expect(reports.filter((line) => line.endsWith('was frozen'))).toHaveLength(2);
    expect(reports.filter((line) => line.endsWith('was cold: none is ready'))).toHaveLength(2);
  });

  it('does not repeat what failed until the autoscaler has deleted it, and makes the others', async () => {
    const { group, claims, failNext } = await makeGroup();
    failNext(new NoCapacity('full'));
    await group.increase(2);
    await group.settle();
    await group.settle();
    expect(claims).toEqual([1, 1]);
    const failed = (await group.nodes()).find(({ failure }) => failure);
    expect(failed).toMatchObject({ state: 'creating', failure: { code: 'vms/no-capacity', isOutOfResources: true } });
    await group.deleteNodes([failed!.id]);
    await group.settle();
    expect(claims).toEqual([1, 1]);
    expect(await group.targetSize()).toBe(1);
  });

  it('waits for the nodes that it made in the background, until they are deleted or its server ends', async () => {
    const { group, pools, reports, stopping } = await makeGroup({ parked: 1 });
    const waited = new Map<string, AbortSignal>();
    pools.guests.awaitUp = ({ id }, { signal }) =>
      new Promise((_, reject) => {
        waited.set(id, signal!);
        signal!.addEventListener('abort', () => reject(signal!.reason));
      });
    await group.increase(2);
    await group.settle();
    const [first, second] = (await group.nodes()).map(({ id }) => id);
    expect([...waited.keys()].sort()).toEqual([first, second].sort());
    await group.deleteNodes([first!]);
    expect([waited.get(first!)!.aborted, waited.get(second!)!.aborted]).toEqual([true, false]);
    stopping.abort();
    await group.ended();
    expect(waited.get(second!)!.aborted).toBe(true);
    expect(reports.filter((line) => line.includes('not come up'))).toEqual([]);
  });

  it('reports a node that did not come up, and makes the next one', async () => {
    const { group, pools, reports, claims } = await makeGroup();
    pools.trouble = new Error('the disk is full');
    await group.increase(2);
    await group.settle();
    await group.ended();
    expect(claims).toEqual([1, 1]);
    expect(reports.filter((line) => line.endsWith('did not come up: the disk is full'))).toHaveLength(2);
  });

  it.each([
    ['decrease', 'was just answered'],
    ['decrease', 'is being recorded'],
    ['deleteNodes', 'was just answered'],
    ['deleteNodes', 'is being recorded'],
  ] as const)('makes no node whose request is taken back: %s %s', async (call, moment) => {
    const { group, pools, claims } = await makeGroup();
    const [{ readStandby }, { tagPool }] = [pools.standby, pools.pools];
    let begin = () => {};
    const begun = new Promise<void>((resolve) => {
      begin = resolve;
    });
    let takenBack: Promise<void> | undefined;
    pools.standby.readStandby = async (...args) => {
      const [requested] = await group.nodes();
      if (requested) takenBack ??= call === 'decrease' ? group.decrease(-1) : group.deleteNodes([requested.id]);
      await (moment === 'is being recorded' ? begun : takenBack);
      return readStandby(...args);
    };
    pools.pools.tagPool = async (pool, tags, ...more) => {
      if (takenBack) {
        begin();
        for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate);
      }
      return tagPool(pool, tags, ...more);
    };
    await group.increase(1);
    await group.settle();
    await takenBack;
    expect([claims, await group.nodes(), await group.targetSize()]).toEqual([[], [], 0]);
  });

  it('follows a pool that another command scales', async () => {
    const { group, pools, ref } = await makeGroup();
    await group.increase(1);
    await group.settle();
    await pools.pools.setCapacity(ref, 3);
    expect(await group.targetSize()).toBe(3);
    await pools.pools.setCapacity(ref, 0);
    expect(await group.targetSize()).toBe(0);
  });

  it('ends with its server, and the next one continues', async () => {
    const { group, stopping, claims, ref, pools } = await makeGroup();
    stopping.abort();
    await group.increase(2);
    await group.settle();
    expect(claims).toEqual([]);
    expect((await pools.pools.readPool(ref))?.tags).toEqual({ [TARGET_TAG]: '2' });
    const signal = new AbortController().signal;
    const next = openNodeGroup(
      { pool: ref, min: 0, max: 9 },
      { provider: pools, report: () => undefined, signal, mark: 'b' },
    );
    expect(await next.targetSize()).toBe(2);
    await next.settle();
    expect(await next.nodes()).toMatchObject([{ state: 'running' }, { state: 'running' }]);
    expect((await pools.pools.readPool(ref))?.tags).toEqual({});
  });

  it('says why a node could not be deleted, and has it again', async () => {
    const { group, pools, reports } = await makeGroup();
    await group.increase(1);
    await group.settle();
    const id = (await group.nodes())[0]!.id;
    pools.pools.deleteInstance = () => Promise.reject(new Error('disk error'));
    const deletion = group.deleteNodes([id]);
    await expect(deletion).rejects.toThrow('disk error');
    expect(reports.at(-1)).toBe(`${id} could not be deleted: disk error`);
    expect(await group.targetSize()).toBe(1);
  });
});

describe('a node that was taken and not finished', () => {
  /** A server; its `up` are the instances that it waits for. */
  function serve({ pool, provider }: StandbyWorld) {
    const stopping = new AbortController();
    const [up, reports]: [string[], string[]] = [[], []];
    const guests = { ...provider.guests, awaitUp: async ({ id }: { id: string }) => void up.push(id) };
    const report = (what: string) => void reports.push(what);
    const deps = { provider: { ...provider, guests }, report, signal: stopping.signal, mark: 'a' };
    return { stopping, up, reports, group: openNodeGroup({ pool, min: 0, max: 5 }, deps) };
  }

  it('is continued and waited for when the API server answers again; its error is reported once', async () => {
    const world = await parkedWorld('frozen');
    const { group, up, reports } = serve(world);
    world.isClusterDown = true;
    await group.increase(1);
    for (let round = 0; round < 3; round++) await group.settle();
    expect(up).toEqual([]);
    expect(reports.filter((line) => line.includes('could not be continued'))).toHaveLength(1);
    world.isClusterDown = false;
    await group.settle();
    expect(await problemsIn(world, { inService: 1, counts: none })).toEqual([]);
    expect(up).toEqual(['web-000001']);
    world.calls.length = 0;
    await group.settle();
    expect([world.calls, up]).toEqual([[], ['web-000001']]);
    world.end();
  });

  it.each(['launch', 'load', 'resume', 'createNode web-000001'])(
    'is continued by the next server after a kill before %s',
    async (killed) => {
      const world = await parkedWorld('frozen');
      let isDead = false;
      world.interrupt = (call, when) => {
        isDead ||= call === killed && when === 'before';
        if (isDead) throw new Error('killed');
      };
      const first = serve(world);
      await first.group.increase(1);
      await first.group.settle();
      first.stopping.abort();
      world.interrupt = () => undefined;
      const next = serve(world);
      await next.group.settle();
      expect(await problemsIn(world, { inService: 1, counts: none })).toEqual([]);
      expect(next.up).toEqual(['web-000001']);
      expect(await next.group.targetSize()).toBe(1);
      world.end();
    },
  );

  it('is taken back when the server ends while it makes a cold one, and the next server makes another', async () => {
    const world = await standbyWorld();
    const first = serve(world);
    world.interrupt = (call, when) => {
      if (call !== 'admit web-000001' || when !== 'before') return;
      first.stopping.abort(new Error('SIGTERM'));
      throw first.stopping.signal.reason;
    };
    await first.group.increase(1);
    await first.group.ended();
    expect(await first.group.nodes()).toEqual([expect.objectContaining({ state: 'creating' })]);
    const next = serve(world);
    await next.group.settle();
    expect(next.up).toEqual(['web-000002']);
    world.end();
  });
});
