import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { instanceRecordOf, poolRecordOf, writeInstanceRecord } from '../home/instance-records.ts';
import { makeInstance } from '../pools/make-instance.ts';
import { findPreparing, type Preparation, preparingRecordOf } from './preparation.ts';
import { type StandbyWorld, standbyWorld } from './world.testing.ts';

let world: StandbyWorld;
let preparation: Preparation;
beforeEach(async () => {
  world = await standbyWorld();
  const { context, pool } = world;
  const standby = { tier: 'frozen', state: 'preparing' } as const;
  const ref = await makeInstance(context, poolRecordOf(context.home, pool), 1, { standby });
  preparation = { ref, vmId: instanceRecordOf(context.home, ref).vmId, document: 'd' };
});
afterEach(() => world.end());

describe('an instance that a command prepares', () => {
  it('is found while it is being prepared', () => {
    expect(findPreparing(world.context.home, preparation)?.standby).toEqual({ tier: 'frozen', state: 'preparing' });
    expect(preparingRecordOf(world.context.home, preparation).id).toBe(preparation.ref.id);
  });

  it.each<[string, () => unknown]>([
    ['was deleted', () => world.provider.pools.deletePool(world.pool)],
    ['is another one of its name', () => Object.assign(preparation, { vmId: 'other' })],
    ['is parked', () => write({ tier: 'frozen', state: 'parked' })],
    ['is in service', () => write(undefined)],
  ])('is not found when it %s', async (_what, change) => {
    await change();
    expect(findPreparing(world.context.home, preparation)).toBeUndefined();
    const read = () => preparingRecordOf(world.context.home, preparation);
    expect(read).toThrow('web-000001 is not being prepared');
  });
});

function write(standby: { tier: 'frozen'; state: 'parked' } | undefined): void {
  const { home } = world.context;
  const { standby: _, ...record } = instanceRecordOf(home, preparation.ref);
  writeInstanceRecord(home, poolRecordOf(home, world.pool), { ...record, ...(standby && { standby }) });
}
