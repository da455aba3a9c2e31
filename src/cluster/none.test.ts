import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import type { Clock } from '../base/clock.ts';
import type { Instance, PoolRef } from '../vms/pools.ts';
import { type ClusterLab, clusterContract } from './cluster.suite.ts';
import { type NoClusterOptions, noCluster } from './none.ts';
import { annotationsOf, annotationTags } from './none-tags.ts';

const base = mkdtempSync(join(tmpdir(), 'headstart-none-'));
afterAll(() => rmSync(base, { recursive: true }));

const POOL: PoolRef = { id: 'pools/p', name: 'p' };

function world() {
  let nowMs = Date.parse('2026-01-01T00:00:00Z');
  let serial = 0;
  const instances = new Map<string, Instance>();
  const clock: Clock = {
    nowMs: () => nowMs,
    sleep: async (ms) => {
      nowMs += ms;
    },
  };
  const tagged: NoClusterOptions['instances'] = {
    listInstances: async () => [...instances.values()],
    readInstance: async ({ id }) => [...instances.values()].find(({ ref }) => ref.id === id),
    tagInstance: async ({ id }, tags) => {
      const instance = [...instances.values()].find(({ ref }) => ref.id === id)!;
      const merged = Object.entries({ ...instance.tags, ...tags }).filter(
        (pair): pair is [string, string] => pair[1] !== null,
      );
      for (const [, value] of merged) expect(value.length).toBeLessThanOrEqual(256);
      instances.set(instance.computerName, { ...instance, tags: Object.fromEntries(merged) });
    },
  };
  const addNode = async (name: string) => {
    instances.set(name, {
      ref: { pool: POOL, id: `${POOL.id}/${++serial}` },
      computerName: name,
      vmId: `vm-${serial}`,
      power: 'running',
      protection: { fromScaleIn: false, fromPoolActions: false },
      isOnLatestModel: true,
      isSpot: false,
      tags: { team: 'nodes' },
    });
  };
  const folder = mkdtempSync(join(base, 'state-'));
  const notes: string[] = [];
  const options: NoClusterOptions = {
    instances: tagged,
    pools: async () => [POOL],
    providerIdOf: ({ id }) => `test://${id}`,
    folder,
    clock,
    onNote: (note) => notes.push(note),
  };
  return { options, instances, clock, addNode, folder, notes };
}

clusterContract('no cluster', async (): Promise<ClusterLab> => {
  const { options, instances, clock, addNode } = world();
  let answer: Parameters<NonNullable<ClusterLab['answerScripts']>>[0] | undefined;
  const cluster = noCluster({
    ...options,
    runScript: async (instance, script) => answer!(instance.computerName, script),
  });
  return {
    cluster,
    prefix: '',
    addNode,
    removeNode: async (name) => void instances.delete(name),
    touchNode: async (name) => {
      const node = await cluster.readNode(name);
      await cluster.changeNode(node!, { annotations: { 'example.com/other': 'x' } });
    },
    pass: (ms) => clock.sleep(ms),
    answerScripts: (next) => {
      answer = next;
    },
  };
});

describe('a pool without a cluster', () => {
  it('lists the pools once and then reads the instance by itself, until another has its name', async () => {
    const { options, instances, addNode } = world();
    let lists = 0;
    const counting = {
      ...options.instances,
      listInstances: (pool: PoolRef) => {
        lists++;
        return options.instances.listInstances(pool);
      },
    };
    const cluster = noCluster({ ...options, instances: counting });
    await addNode('n1');
    for (const _ of [1, 2, 3]) expect(await cluster.readNode('n1')).toMatchObject({ systemUuid: 'vm-1' });
    expect(lists).toBe(1);
    instances.delete('n1');
    expect(await cluster.readNode('n1')).toBeUndefined();
    await addNode('n1');
    expect(await cluster.readNode('n1')).toMatchObject({ systemUuid: 'vm-2' });
  });

  it('reports once that there is nothing to cordon and nothing to drain', async () => {
    const { options, addNode, notes } = world();
    const cluster = noCluster(options);
    await addNode('n1');
    for (let i = 0; i < 2; i++) {
      await cluster.listPods('n1');
      await cluster.changeNode((await cluster.readNode('n1'))!, { isUnschedulable: true });
    }
    expect(notes).toEqual([
      'n1 is in no cluster: there is nothing to drain',
      'n1 is in no cluster: there is nothing to cordon, it is only marked',
    ]);
  });

  it('derives a node from its instance and does not change other tags', async () => {
    const { options, addNode, instances } = world();
    const cluster = noCluster(options);
    await addNode('n1');
    expect(await cluster.readNode('n1')).toMatchObject({
      systemUuid: 'vm-1',
      isReady: true,
      providerId: 'test://pools/p/1',
    });
    await cluster.changeNode((await cluster.readNode('n1'))!, { isUnschedulable: true, annotations: { 'a/b': '1' } });
    await cluster.changeNode((await cluster.readNode('n1'))!, { isUnschedulable: false, annotations: { 'a/b': null } });
    expect(instances.get('n1')!.tags).toEqual({ team: 'nodes' });
  });

  it('reports Ready when the guest is up, and checks only running instances', async () => {
    const { options, addNode, instances } = world();
    const asked: string[] = [];
    const cluster = noCluster({
      ...options,
      readiness: async ({ computerName }) => {
        asked.push(computerName);
        return computerName === 'n1' ? { isReady: true, readySinceMs: 7 } : { isReady: false };
      },
    });
    for (const name of ['n1', 'n2', 'n3']) await addNode(name);
    instances.set('n3', { ...instances.get('n3')!, power: 'stopped' });
    const nodes = await cluster.listNodes();
    expect(nodes.map(({ isReady, readySinceMs }) => [isReady, readySinceMs])).toEqual([
      [true, 7],
      [false, undefined],
      [false, undefined],
    ]);
    expect(asked).toEqual(['n1', 'n2']);
    await cluster.changeNode(nodes[0]!, { isUnschedulable: true });
    await expect(cluster.changeNode(nodes[0]!, { isUnschedulable: false })).rejects.toMatchObject({
      code: 'vms/conflict',
    });
  });

  it('cannot run a script without a channel, and names the option', async () => {
    const { options, addNode } = world();
    await addNode('n1');
    const run = noCluster(options).runOnNode('n1', 'true', { deadlineMs: 1000 });
    await expect(run).rejects.toMatchObject({ code: 'cluster/no-channel' });
  });

  it('makes secrets and locks unreadable for other users', async () => {
    const { options, folder } = world();
    const cluster = noCluster(options);
    await cluster.writeSecret('recipe', { a: 'b' });
    await cluster.holdLease('pool', { holder: 'me', durationMs: 1000, note: '' });
    for (const file of readdirSync(folder)) expect(statSync(join(folder, file)).mode & 0o077).toBe(0);
  });
});

describe('annotations as tags', () => {
  const key = fc.stringMatching(/^[a-z]{1,5}\.[a-z]{1,5}\/[a-z-]{1,8}$/);
  const annotations = fc.dictionary(key, fc.string({ maxLength: 1000 }));

  it('are read back unchanged with any previous tags, and leave no tag when removed', () => {
    fc.assert(
      fc.property(annotations, annotations, (before, after) => {
        let tags: Record<string, string> = { other: 'x' };
        const apply = (change: Record<string, string | null>) => {
          const merged = Object.entries({ ...tags, ...change });
          tags = Object.fromEntries(merged.filter((pair): pair is [string, string] => pair[1] !== null));
        };
        apply(annotationTags(before, tags));
        expect(annotationsOf(tags)).toEqual(before);
        apply(annotationTags(after, tags));
        expect(annotationsOf(tags)).toEqual({ ...before, ...after });
        apply(
          annotationTags(Object.fromEntries(Object.keys({ ...before, ...after }).map((name) => [name, null])), tags),
        );
        expect(tags).toEqual({ other: 'x' });
      }),
    );
  });
});
