import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { fakeClock } from '../base/fake-clock.ts';
import { clusterFiles, writeClusterRecord } from '../cluster/local/cluster-files.ts';
import { poolRef } from '../vms/qemu/home/layout.ts';
import { joinLocalCluster } from './join-cluster.ts';

const instance = { pool: poolRef('web'), id: 'web-000001' };
const { signal } = new AbortController();

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'headstart-join-'));
});
afterEach(() => rmSync(home, { recursive: true }));

const cluster = () => joinLocalCluster(home, fakeClock());

describe('a cluster that does not exist', () => {
  it('admits no instance, and the error has the command that makes the cluster', async () => {
    await expect(cluster().admit('lab', instance, { signal })).rejects.toMatchObject({
      code: 'cluster/none',
      next: 'headstart cluster up --name lab',
    });
  });

  it('has no Ready node and no node to remove', async () => {
    expect(await cluster().isReady('lab', instance, { signal })).toBeUndefined();
    await cluster().removeNode('lab', instance, { signal, onWaiting: (what) => expect.fail(what) });
  });
});

describe('a node', () => {
  it.each([
    { event: 'node-ready', atMs: 1000, was: true },
    { event: 'node-ready', atMs: 999, was: false }, // of an earlier start
    { event: 'node-registered', atMs: 1000, was: false },
  ])('was Ready since its start if the log says $event at $atMs: $was', ({ was, ...event }) => {
    const eventsFile = join(home, 'events.jsonl');
    expect(cluster().wasReady({ eventsFile, startedMs: 1000 })).toBe(false);
    writeFileSync(eventsFile, `${JSON.stringify({ ...event, name: instance.id })}\n`);
    expect(cluster().wasReady({ eventsFile, startedMs: 1000 })).toBe(was);
  });
});

describe('a cluster that is not reachable', () => {
  beforeEach(() => {
    const place = { home, name: 'lab' };
    mkdirSync(clusterFiles(place).folder, { recursive: true });
    writeClusterRecord(place, {
      ...{ format: 1, createdMs: 1, kubernetes: 'v1.35.8', programs: '/nowhere', guestAddress: '168.0.0.10' },
      ports: { etcd: 1, 'etcd-peer': 2, 'kube-apiserver': 3, 'kube-controller-manager': 4, 'kube-scheduler': 5 },
    });
  });

  it('does not prevent the deletion of a pool, and the wait reports that the node stays', async () => {
    const messages: string[] = [];
    await cluster().removeNode('lab', instance, { signal, onWaiting: (what) => messages.push(what) });
    expect(messages).toEqual([expect.stringMatching(/^nothing: the node web-000001 stays in cluster lab \(/)]);
  });

  it('does not know whether a node is Ready', async () => {
    expect(await cluster().isReady('lab', instance, { signal })).toBeUndefined();
  });

  it('rethrows an abort', async () => {
    const stopped = AbortSignal.abort(new Error('enough'));
    await expect(cluster().removeNode('lab', instance, { signal: stopped })).rejects.toThrow('enough');
  });
});
