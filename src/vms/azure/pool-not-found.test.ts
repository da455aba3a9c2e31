import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { scaleSetId } from './arm-ids.ts';
import { poolNotFound } from './pool-not-found.ts';
import { type AzureLab, azureLab } from './testing.ts';

describe('a pool that does not exist', () => {
  let lab: AzureLab;
  beforeAll(async () => {
    lab = await azureLab({ mode: 'Uniform' });
  });
  afterAll(() => lab.end());

  const listing = async (name: string, resourceGroup = 'contract') => {
    const id = scaleSetId({ subscriptionId: lab.settings.subscriptionId, resourceGroup, name });
    const failure: unknown = await lab.provider.pools.listInstances({ id, name }).catch((error: unknown) => error);
    return failure as Awaited<ReturnType<typeof poolNotFound>>;
  };

  it('is reported with its group, its subscription, the pools of the group and the closest name', async () => {
    const { code, message, next } = await listing('pool-11');
    expect(code).toBe('vms/not-found');
    expect(message).toContain(`pool pool-11 in resource group contract of subscription ${lab.settings.subscriptionId}`);
    expect(message).toContain('that group has pool-1, pool-2, pool-3 (did you mean pool-1');
    expect(next).toContain('--pool');
  });

  it('is reported with the same message when it is found by name', async () => {
    const listed = await listing('pool-11');
    const failure: unknown = await lab.provider.pools.findPool('pool-11').catch((error: unknown) => error);
    expect(failure).toMatchObject({ code: listed.code, message: listed.message, next: listed.next });
  });

  it('is distinguished from a resource group that does not exist', async () => {
    const { message, next } = await listing('unknown', 'nope');
    expect(message).toMatch(/^resource group nope of subscription \S+ does not exist/);
    expect(next).toContain('--resource-group');
  });

  it('is reported with a pool of that name in another group of the subscription', async () => {
    const { message, next } = await listing('pool-2', 'nope');
    expect(message).toContain('there is a pool pool-2 in resource group contract');
    expect(next).toBe('give --resource-group contract');
  });

  it('is reported without a list when the login may not list pools', async () => {
    const refused = async () => {
      throw new Error('not allowed');
    };
    const call = { ask: refused, signal: undefined, compute: () => ({}) } as unknown as Parameters<
      typeof poolNotFound
    >[0];
    const failure = await poolNotFound(call, { subscriptionId: 's', resourceGroup: 'g', name: 'p' });
    expect(failure.message).toBe('pool p in resource group g of subscription s does not exist');
  });
});
