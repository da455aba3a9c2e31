import { describe, expect, it } from 'vitest';
import { NotFound } from '../../base/failures.ts';
import { type SentRequest, wire } from './connect/testing.ts';
import { deallocate, start, stop } from './power.ts';
import { group } from './scale-set.testing.ts';
import { azureOn } from './testing.ts';

const pool = { id: `${group}/virtualMachineScaleSets/pool`, name: 'pool' };
const uniform = { pool, id: `${pool.id}/virtualMachines/3` };
const flexible = { pool, id: `${group}/virtualMachines/pool_a1` };
const done = { status: 200 };
const shown = (sent: readonly SentRequest[]) => sent.map(({ method, url }) => `${method} ${url.pathname}`);

describe('power', () => {
  it.each([
    ['stopping', stop, 'powerOff'],
    ['deallocating', deallocate, 'deallocate'],
    ['starting', start, 'start'],
  ] as const)('%s sends one request to the URL of a uniform or a flexible instance', async (_name, order, action) => {
    const { call, sent } = await wire(done, done);
    for (const instance of [uniform, flexible]) await order(azureOn(call), instance);
    expect(shown(sent)).toEqual([`POST ${uniform.id}/${action}`, `POST ${flexible.id}/${action}`]);
  });

  it('requests are sent even when the instance already has the requested state', async () => {
    const { call, sent } = await wire(done, done);
    for (const _ of [1, 2]) await stop(azureOn(call), uniform);
    expect(sent).toHaveLength(2);
  });

  it('waits report the instance by its pool and number or its name', async () => {
    const { call, messages } = await wire(done, done);
    await stop(azureOn(call), uniform);
    await stop(azureOn(call), flexible);
    expect(messages).toEqual(['stopping instance 3 of pool', 'stopping instance pool_a1']);
  });

  it('requests for an id that is not a VM are not sent', async () => {
    const { call, sent } = await wire();
    await expect(stop(azureOn(call), { pool, id: pool.id })).rejects.toBeInstanceOf(NotFound);
    expect(sent).toEqual([]);
  });
});
