import { describe, expect, it } from 'vitest';
import type { Site } from '../../prototype/site.ts';
import type { ConnectOptions } from '../prototype/connect-options.ts';
import { testDeps } from '../testing.ts';
import { connectAzure } from './connect-azure.ts';

const SUBSCRIPTION = '11111111-2222-3333-4444-555555555555';
const SCALE_SET = `/subscriptions/${SUBSCRIPTION}/resourceGroups/g/providers/Microsoft.Compute/virtualMachineScaleSets/vmss`;

/** Nothing of it asks Azure: there is no login before the first call. */
function connect(options: ConnectOptions): Promise<Site> {
  const azure = { subscription: SUBSCRIPTION, resourceGroup: 'g', login: 'operator' } as const;
  return connectAzure({ ...azure, ...options }, testDeps({ env: { HOME: '/nowhere' } }).deps);
}

describe('Azure without a cluster', () => {
  it('needs the name of the pool', async () => {
    await expect(connect({ cluster: false })).rejects.toMatchObject({ code: 'prototype/pool-needed' });
  });

  it('takes a scale set of the resource group by its name', async () => {
    const { pools, hasCluster, channel, gallery } = await connect({ cluster: false, pool: 'vmss' });
    expect({ hasCluster, channel, gallery }).toEqual({ hasCluster: false, channel: 'private', gallery: 'SIG_g' });
    expect(await pools!()).toEqual([{ id: SCALE_SET, name: 'vmss' }]);
  });

  it('takes a scale set of another group by its id', async () => {
    const { pools } = await connect({ cluster: false, pool: SCALE_SET.replace('/g/', '/Other/') });
    expect((await pools!())[0]!.id).toContain('/resourceGroups/other/');
  });

  it.each(['', 'a b', '../x', 'x'.repeat(81)])('refuses %j as the name of a scale set', async (pool) => {
    await expect(connect({ cluster: false, pool })).rejects.toMatchObject({
      code: 'prototype/bad-pool-name',
      kept: 'Nothing was touched.',
    });
  });
});

describe('Azure with a cluster', () => {
  it('says what to do where no cluster is configured', async () => {
    await expect(connect({ kubeconfig: '/nowhere/none' })).rejects.toMatchObject({
      code: 'cluster/no-kubeconfig',
      kept: 'Nothing was touched.',
      next: expect.stringContaining('--no-cluster --pool NAME'),
    });
  });
});
