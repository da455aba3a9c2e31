import { describe, expect, it } from 'vitest';
import type { Site } from '../../prototype/site.ts';
import type { ConnectOptions } from '../prototype/connect-options.ts';
import { testDeps } from '../testing.ts';
import { connectAzure } from './connect-azure.ts';

const SUBSCRIPTION = '11111111-2222-3333-4444-555555555555';
const SCALE_SET = `/subscriptions/${SUBSCRIPTION}/resourceGroups/g/providers/Microsoft.Compute/virtualMachineScaleSets/vmss`;

/** Calls nothing on Azure: there is no login before the first call. */
function connect(options: ConnectOptions): Promise<Site> {
  const azure = { subscription: SUBSCRIPTION, resourceGroup: 'g', login: 'operator' } as const;
  return connectAzure({ ...azure, ...options }, testDeps({ env: { HOME: '/nowhere' } }).deps);
}

describe('Azure without a cluster', () => {
  it('needs --pool', async () => {
    await expect(connect({ cluster: false })).rejects.toMatchObject({ code: 'prototype/pool-needed' });
  });

  it('accepts the name of a scale set in the resource group', async () => {
    const { pools, hasCluster, channel, gallery } = await connect({ cluster: false, pool: 'vmss' });
    expect({ hasCluster, channel, gallery }).toEqual({ hasCluster: false, channel: 'private', gallery: 'SIG_g' });
    expect(await pools!()).toEqual([{ id: SCALE_SET, name: 'vmss' }]);
  });

  it('accepts the id of a scale set in another group', async () => {
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
  it('says what to do without a kubeconfig', async () => {
    await expect(connect({ kubeconfig: '/nowhere/none' })).rejects.toMatchObject({
      code: 'cluster/no-kubeconfig',
      kept: 'Nothing was touched.',
      next: expect.stringContaining('--no-cluster --pool NAME'),
    });
  });
});
