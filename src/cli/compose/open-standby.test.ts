import { describe, expect, it } from 'vitest';
import type { QemuProvider } from '../../vms/qemu/local-provider.ts';
import { testDeps } from '../testing.ts';
import { openStandby } from './open-standby.ts';

const local = { ref: { id: 'pool1', name: 'pool1' } };
const provider = { pools: { listPools: async () => [local] }, standby: { name: 'local' } } as unknown as QemuProvider;

describe('openStandby', () => {
  it('opens the pools of this machine unless Azure was named', async () => {
    const purposes: unknown[] = [];
    const site = await openStandby(
      {},
      testDeps({}).deps,
      async (_options, _deps, purpose) => {
        purposes.push(purpose);
        return provider;
      },
      'run',
    );
    expect(await site.find('pool1', {})).toBe(local);
    expect(await site.list({})).toEqual([local]);
    expect([site.standby, site.awaitReady === undefined, purposes]).toEqual([provider.standby, false, ['run']]);
    await expect(site.find('pool2', {})).rejects.toMatchObject({ code: 'pool/no-such-pool' });
  });

  it('opens Azure without the pools of this machine, and cannot wait for its nodes', async () => {
    const env = {
      AZURE_SUBSCRIPTION_ID: 's',
      AZURE_RESOURCE_GROUP: 'g',
      HEADSTART_AZURE_ENDPOINT: 'https://127.0.0.1:1',
    };
    const site = await openStandby({ vms: 'azure', login: 'operator' }, testDeps({ env }).deps, async () => {
      throw new Error('opened the pools of this machine');
    });
    expect(site.awaitReady).toBeUndefined();
    await expect(site.standby.refill({ id: 'x', name: 'x' })).resolves.toBeUndefined();
  });
});
