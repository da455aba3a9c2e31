import { describe, expect, it } from 'vitest';
import { wire } from './connect/testing.ts';
import { setProtection, tagInstance } from './mark-instance.ts';
import { group, scaleSetPool as pool } from './scale-set.testing.ts';
import { azureOn } from './testing.ts';

const uniform = { pool, id: `${pool.id}/virtualMachines/3` };
const flexible = { pool, id: `${group}/virtualMachines/pool_a1` };
const member = (more: object = {}) => ({
  status: 200,
  body: {
    location: 'westeurope',
    etag: '"m"',
    tags: { team: 'a' },
    properties: { protectionPolicy: { protectFromScaleIn: true } },
    ...more,
  },
});
const seen = { fromScaleIn: true, fromPoolActions: false };

describe('protection', () => {
  it('is sent with the current tags and an If-Match header', async () => {
    const { call, sent } = await wire(member(), member());
    await setProtection(azureOn(call), uniform, { fromScaleIn: true, fromPoolActions: true });
    expect(sent[1]).toMatchObject({
      method: 'PUT',
      ifMatch: '"m"',
      body: {
        location: 'westeurope',
        tags: { team: 'a' },
        properties: { protectionPolicy: { protectFromScaleIn: true, protectFromScaleSetActions: true } },
      },
    });
  });

  it('is not sent when it is already set', async () => {
    const { call, sent } = await wire(member());
    await setProtection(azureOn(call), uniform, seen);
    expect(sent).toHaveLength(1);
  });

  it.each([
    ['a uniform set', uniform, '3'],
    ['a flexible set', flexible, 'pool_a1'],
  ])("of a member of %s uses the member's URL", async (_kind, instance, name) => {
    const { call, sent } = await wire(member(), member());
    await setProtection(azureOn(call), instance, { fromScaleIn: false, fromPoolActions: false });
    expect(sent.map(({ url }) => url.pathname)).toEqual(Array(2).fill(`${pool.id}/virtualMachines/${name}`));
  });
});

describe('tags of an instance', () => {
  it('are sent with the protection in a uniform set', async () => {
    const { call, sent } = await wire(member(), member());
    await tagInstance(azureOn(call), uniform, { run: '1' });
    expect(sent[1]?.body).toMatchObject({
      tags: { team: 'a', run: '1' },
      properties: { protectionPolicy: { protectFromScaleIn: true, protectFromScaleSetActions: false } },
    });
  });

  it('are sent alone to the VM in a flexible set', async () => {
    const { call, sent } = await wire(member(), member());
    await tagInstance(azureOn(call), flexible, { team: null });
    expect(sent[1]).toMatchObject({ method: 'PATCH', body: { tags: {} } });
    expect(sent[1]?.url.pathname).toBe(flexible.id);
  });

  it.each([uniform, flexible])('are not sent when nothing would change: %j', async (instance) => {
    const { call, sent } = await wire(member());
    await tagInstance(azureOn(call), instance, { team: 'a', other: null });
    expect(sent).toHaveLength(1);
  });
});
