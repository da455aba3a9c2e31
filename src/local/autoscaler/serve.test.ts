import { type ChannelCredentials, Client, credentials, status } from '@grpc/grpc-js';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { makeLoopbackCertificate } from '../../../sims/azure/service/certificate.ts';
import { NoCapacity } from '../../base/failures.ts';
import type { PoolRef } from '../../vms/pools.ts';
import { instanceRecordOf, poolRecordOf, writeInstanceRecord } from '../../vms/qemu/home/instance-records.ts';
import { type Lab, makeLab, poolSpec, publishEmpty } from '../../vms/qemu/testing.ts';
import { fakePools } from '../testing.ts';
import { TARGET_TAG } from './node-group.ts';
import { serveAutoscaler } from './serve.ts';
import { callWith, noNodeIds, type ServerWorld, serveTo } from './testing.ts';

const named = (id: string) => ({ name: id, providerId: `qemu:///web/${id}` });
const WEB = { id: 'web' };

describe('the server over local pools', () => {
  let lab: Lab;
  let pool: PoolRef;
  let world: ServerWorld;
  beforeEach(async () => {
    lab = makeLab();
    pool = (await lab.provider.pools.createPool(poolSpec(await publishEmpty(lab)))).ref;
    world = await serveTo(lab.provider, [{ pool, min: 0, max: 4 }]);
  });
  afterEach(async () => {
    await world.end();
    await world.groups[0]!.settle();
    expect(world.bugs).toEqual([]);
    lab.end();
  });

  const idle = () => world.groups[0]!.settle();
  const sizeNow = async () => (await world.call('NodeGroupTargetSize', WEB)).size;
  const tag = async () => (await lab.provider.pools.readPool(pool))!.tags[TARGET_TAG];
  const nodes = async () => (await world.call('NodeGroupNodes', WEB)).instances;

  it('names its groups with their limits, and answers what it does not have with nothing', async () => {
    const { groups } = await world.call('NodeGroups');
    expect(groups).toEqual([expect.objectContaining({ id: 'web', minSize: 0, maxSize: 4 })]);
    for (const method of ['GPULabel', 'GetAvailableGPUTypes', 'Refresh', 'Cleanup'])
      expect(await world.call(method)).toEqual({});
  });

  it('adds nodes in the background, and keeps the request in the pool until they exist', async () => {
    await world.call('NodeGroupIncreaseSize', { ...WEB, delta: 2 });
    expect(await sizeNow()).toBe(2);
    expect(await tag()).toBe('2');
    await idle();
    expect(await nodes()).toEqual([
      { id: 'qemu:///web/web-000001', status: { state: 1, failure: null } },
      { id: 'qemu:///web/web-000002', status: { state: 1, failure: null } },
    ]);
    expect([await sizeNow(), await tag()]).toEqual([2, undefined]);
  });

  it('continues with the same target size after it was killed', async () => {
    lab.machines.failNextLaunch = new NoCapacity('no room');
    await world.call('NodeGroupIncreaseSize', { ...WEB, delta: 1 });
    await idle();
    expect((await nodes())[0].status).toEqual({
      state: 2,
      failure: { code: 'vms/no-capacity', message: 'no room', class: 1 },
    });
    const next = await serveTo(lab.provider, [{ pool, min: 0, max: 4 }], 'b');
    expect((await next.call('NodeGroupTargetSize', WEB)).size).toBe(1);
    await next.groups[0]!.settle();
    await next.end();
    expect((await lab.provider.pools.listInstances(pool)).map(({ computerName }) => computerName)).toEqual([
      'web-000002',
    ]);
  });

  it('drops a node that could not be made when the autoscaler deletes it, once', async () => {
    lab.machines.failNextLaunch = new Error('broken');
    await world.call('NodeGroupIncreaseSize', { ...WEB, delta: 2 });
    await idle();
    const failed = (await nodes()).find(({ status }: { status: { failure: unknown } }) => status.failure);
    const name = { name: '', providerId: failed.id };
    expect((await world.call('NodeGroupForNode', { node: name })).group.id).toBe('web');
    for (let i = 0; i < 2; i++) await world.call('NodeGroupDeleteNodes', { ...WEB, nodes: [name] });
    expect([await sizeNow(), await tag()]).toEqual([1, undefined]);
  });

  it('deletes named nodes, and says the same when the call is repeated', async () => {
    await world.call('NodeGroupIncreaseSize', { ...WEB, delta: 3 });
    await idle();
    const request = { ...WEB, nodes: [named('web-000002')] };
    await Promise.all([world.call('NodeGroupDeleteNodes', request), world.call('NodeGroupDeleteNodes', request)]);
    await world.call('NodeGroupDeleteNodes', request);
    expect((await nodes()).map(({ id }: { id: string }) => id)).toEqual([
      'qemu:///web/web-000001',
      'qemu:///web/web-000003',
    ]);
    expect(await sizeNow()).toBe(2);
  });

  it.each([
    [
      'a node of another group',
      { ...WEB, nodes: [{ name: 'x', providerId: 'qemu:///db/db-000001' }] },
      'x is not a node',
    ],
    ['a node of another cloud', { ...WEB, nodes: [{ name: 'x', providerId: 'aws:///a/i-1' }] }, 'x is not a node'],
    ['a node of an unknown group', { id: 'db', nodes: [named('web-000001')] }, 'there is no node group "db"'],
    ['a protected node', { ...WEB, nodes: [named('web-000002'), named('web-000001')] }, 'protected from scale-in'],
  ])('refuses to delete %s, and deletes nothing', async (_, request, message) => {
    await world.call('NodeGroupIncreaseSize', { ...WEB, delta: 2 });
    await idle();
    const first = { pool, id: 'web-000001' };
    await lab.provider.pools.setProtection(first, { fromScaleIn: true, fromPoolActions: false });
    await expect(world.call('NodeGroupDeleteNodes', request)).rejects.toMatchObject({
      code: status.FAILED_PRECONDITION,
      details: expect.stringContaining(message),
    });
    expect(await sizeNow()).toBe(2);
  });

  it('knows the group of a node in service, not of one that is being prepared for standby', async () => {
    await world.call('NodeGroupIncreaseSize', { ...WEB, delta: 2 });
    await idle();
    const { home } = lab.context;
    const record = instanceRecordOf(home, { pool, id: 'web-000002' });
    writeInstanceRecord(home, poolRecordOf(home, pool), { ...record, standby: { tier: 'frozen', state: 'preparing' } });
    const groupOf = async (providerId: string) =>
      (await world.call('NodeGroupForNode', { node: { name: 'n', providerId } })).group.id;
    expect(await groupOf('qemu:///web/web-000001')).toBe('web');
    for (const other of ['qemu:///web/web-000002', 'qemu:///web/web-000009', 'kind://docker/x', ''])
      expect(await groupOf(other)).toBe('');
  });

  it('describes a new node where old and new autoscalers look for it', async () => {
    const { node, oldNode } = await world.call('NodeGroupTemplateNodeInfo', WEB);
    expect(node).toEqual(oldNode);
    expect(node.metadata).toMatchObject({ name: 'web-template', labels: { tier: 'front' } });
    expect(node.status.allocatable.memory).toEqual({ text: '850Mi' });
  });

  it('answers a pool that is gone with NOT_FOUND, and a method it does not have with UNIMPLEMENTED', async () => {
    await lab.provider.pools.deletePool(pool);
    await expect(sizeNow()).rejects.toMatchObject({ code: status.NOT_FOUND });
    const client = new Client(`127.0.0.1:${world.server.port}`, credentials.createInsecure());
    const path = '/clusterautoscaler.cloudprovider.v1.externalgrpc.CloudProvider/PricingNodePrice';
    const asked = new Promise((resolve, reject) => {
      const same = (bytes: Buffer) => bytes;
      client.makeUnaryRequest(path, same, same, Buffer.alloc(0), (error, value) =>
        error ? reject(error) : resolve(value),
      );
    });
    await expect(asked).rejects.toMatchObject({ code: status.UNIMPLEMENTED });
    client.close();
  });

  it('refuses a second server on its port', async () => {
    const template = () => Promise.reject(new Error('x'));
    const deps = { groups: [], nodeIds: noNodeIds, template, onBug: () => undefined };
    const address = { host: '127.0.0.1', port: world.server.port };
    await expect(serveAutoscaler(address, undefined, deps)).rejects.toMatchObject({ code: 'autoscaler/cannot-listen' });
    const tls = { cert: Buffer.from('x'), key: Buffer.from('y'), clientCa: Buffer.from('z') };
    await expect(serveAutoscaler({ ...address, port: 0 }, tls, deps)).rejects.toMatchObject({
      code: 'autoscaler/bad-certificate',
    });
  });
});

describe('any calls in any order', () => {
  const delta = fc.integer({ min: -3, max: 4 });
  const step = fc.oneof(
    delta.map((by) => ['NodeGroupIncreaseSize', { ...WEB, delta: by }] as const),
    delta.map((by) => ['NodeGroupDecreaseTargetSize', { ...WEB, delta: by }] as const),
    fc.nat(5).map((at) => ['NodeGroupDeleteNodes', at] as const),
    fc.constant(['fail', undefined] as const),
    fc.constant(['idle', undefined] as const),
  );

  it('keep the target within the limits, and end with as many nodes as were asked for or a failure for each other one', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 12 }), async (steps) => {
        const pools = fakePools('');
        const image = await pools.addImage('headstart', 'debian-12', '2026.11.15');
        const { ref } = await pools.pools.createPool(poolSpec(image));
        let failures = 0;
        const claim = pools.standby.claim;
        const provider = {
          ...pools,
          standby: {
            ...pools.standby,
            claim: (...args: Parameters<typeof claim>) =>
              failures-- > 0 ? Promise.reject(new NoCapacity('full')) : claim(...args),
          },
        };
        const world = await serveTo(provider, [{ pool: ref, min: 1, max: 5 }]);
        try {
          await world.call('NodeGroupIncreaseSize', { ...WEB, delta: 2 });
          for (const [what, request] of steps) {
            if (what === 'fail') failures = 1;
            else if (what === 'idle') await world.groups[0]!.settle();
            else {
              const { instances } = await world.call('NodeGroupNodes', WEB);
              const body =
                typeof request === 'number'
                  ? {
                      ...WEB,
                      nodes: instances
                        .slice(request, request + 1)
                        .map(({ id }: { id: string }) => ({ name: id, providerId: id })),
                    }
                  : request;
              await world.call(what, body).catch((error) => expect(error.code).toBe(status.FAILED_PRECONDITION));
            }
            const { size } = await world.call('NodeGroupTargetSize', WEB);
            expect(size).toBeGreaterThanOrEqual(1);
            expect(size).toBeLessThanOrEqual(5);
          }
          await world.groups[0]!.settle();
          const { instances } = await world.call('NodeGroupNodes', WEB);
          const { size } = await world.call('NodeGroupTargetSize', WEB);
          expect(instances).toHaveLength(size);
          for (const { status: shown } of instances) expect(shown.state === 1 || shown.failure !== null).toBe(true);
          expect(world.bugs).toEqual([]);
        } finally {
          await world.end();
        }
      }),
      { numRuns: 30 },
    );
  });
});

describe('a server with TLS', () => {
  it('answers clients with a certificate of the given authority, and no others', async () => {
    const [own, other] = await Promise.all([makeLoopbackCertificate(), makeLoopbackCertificate()]);
    const [cert, key] = [Buffer.from(own.certPem), Buffer.from(own.keyPem)];
    const template = () => Promise.reject(new Error('unused'));
    const deps = { groups: [], nodeIds: noNodeIds, template, onBug: () => undefined };
    const server = await serveAutoscaler({ host: '127.0.0.1', port: 0 }, { cert, key, clientCa: cert }, deps);
    const ask = (channel: ChannelCredentials) => {
      const client = new Client(`127.0.0.1:${server.port}`, channel);
      return callWith(client)('NodeGroups').finally(() => client.close());
    };
    expect(await ask(credentials.createSsl(cert, key, cert))).toEqual({ groups: [] });
    const strangers = [
      credentials.createSsl(cert),
      credentials.createSsl(cert, Buffer.from(other.keyPem), Buffer.from(other.certPem)),
      credentials.createInsecure(),
    ];
    for (const stranger of strangers) await expect(ask(stranger)).rejects.toMatchObject({ code: status.UNAVAILABLE });
    await server.stop();
  });
});
