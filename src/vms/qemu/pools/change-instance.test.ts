import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { InstanceRef, PoolRef } from '../../pools.ts';
import { instanceFiles } from '../home/layout.ts';
import type { StartedInstance } from '../local-provider.ts';
import { parseInstanceFile } from '../metadata-service/instance-file.ts';
import { type Lab, makeLab, poolSpec, publishEmpty } from '../testing.ts';

let lab: Lab;
let pool: PoolRef;
let instance: StartedInstance;
beforeEach(async () => {
  lab = makeLab();
  pool = (await lab.provider.pools.createPool(poolSpec(await publishEmpty(lab), { tags: { team: 'payments' } }))).ref;
  instance = (await lab.provider.pools.setCapacity(pool, 1))[0]!;
});
afterEach(() => lab.end());

const base64 = (text: string) => Buffer.from(text).toString('base64');

async function metadataOf(ref: InstanceRef) {
  const path = join((await lab.provider.guests.readDetails(ref)).folder, instanceFiles.metadata);
  expect(statSync(path).mode & 0o777).toBe(0o600);
  return parseInstanceFile(readFileSync(path, 'utf8'), path);
}

describe('the metadata of an instance', () => {
  it('is in the format that the metadata service reads', async () => {
    const { address } = await lab.provider.guests.readDetails(instance.ref);
    expect(await metadataOf(instance.ref)).toMatchObject({
      vmId: instance.vmId,
      name: 'web-000001',
      pool: 'web',
      privateIpAddress: address,
      adminUsername: 'headstart',
      publicKeys: ['ssh-ed25519 AAAA headstart pool'],
      tags: { team: 'payments' },
      image: { id: 'galleries/headstart/empty/1.0.0' },
    });
  });

  it("has the pool's user data immediately, unless the instance has its own", async () => {
    const seen = async () => (await metadataOf(instance.ref)).userData;
    expect(await seen()).toBeUndefined();
    await lab.provider.pools.setUserData(pool, base64('all'));
    expect(await seen()).toBe(base64('all'));
    await lab.provider.pools.setUserData(instance.ref, base64('mine'));
    await lab.provider.pools.setUserData(pool, base64('all, again'));
    expect(await seen()).toBe(base64('mine'));
    await lab.provider.pools.setUserData(instance.ref, null);
    expect(await seen()).toBe(base64('all, again'));
    await lab.provider.pools.setUserData(pool, null);
    expect(await seen()).toBeUndefined();
  });

  it('does not accept user data that is not base64', async () => {
    await expect(lab.provider.pools.setUserData(pool, 'not base64!')).rejects.toMatchObject({ code: 'vms/bad-pool' });
    await expect(lab.provider.pools.setUserData(instance.ref, 'not base64!')).rejects.toMatchObject({
      code: 'vms/bad-pool',
    });
  });

  it('follows the tags of instance and pool', async () => {
    await lab.provider.pools.tagInstance(instance.ref, { role: 'donor' });
    await lab.provider.pools.tagPool(pool, { team: null });
    expect((await metadataOf(instance.ref)).tags).toEqual({ role: 'donor' });
  });
});

describe('reimage', () => {
  it('makes a new disk from the current model, and keeps name, address and VM id', async () => {
    const before = await lab.provider.guests.readDetails(instance.ref);
    writeFileSync(before.disk, 'old');
    const image = { kind: 'version', id: await publishEmpty(lab, '2.0.0') } as const;
    const change = { image, bootstrap: { customData: base64('new') }, extensions: { keep: [], add: [] }, tags: {} };
    await lab.provider.publisher.changeModel((await lab.provider.pools.readPool(pool))!, change);
    expect((await lab.provider.pools.readInstance(instance.ref))?.isOnLatestModel).toBe(false);
    await lab.provider.pools.reimage(instance.ref);
    const { from: __, ...made } = instance;
    expect(await lab.provider.pools.readInstance(instance.ref)).toEqual({ ...made, image, isOnLatestModel: true });
    const { startedMs: _, ...place } = await lab.provider.guests.readDetails(instance.ref);
    expect(before).toMatchObject(place);
    expect(readFileSync(place.disk, 'utf8')).toMatch(/2\.0\.0\/disk\.qcow2\n$/);
    expect(readFileSync(join(place.folder, instanceFiles.provisioning), 'utf8')).toContain(base64('new'));
  });

  it('leaves a stopped instance stopped', async () => {
    await lab.provider.pools.stop(instance.ref);
    await lab.provider.pools.reimage(instance.ref);
    expect((await lab.provider.pools.readInstance(instance.ref))?.power).toBe('stopped');
    await lab.provider.pools.start(instance.ref);
    expect((await lab.provider.pools.readInstance(instance.ref))?.power).toBe('running');
  });
});
