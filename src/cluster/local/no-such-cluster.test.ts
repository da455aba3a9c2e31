import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { writeClusterRecord } from './cluster-files.ts';
import { noSuchCluster } from './no-such-cluster.ts';

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'headstart-none-'));
});
afterEach(() => rmSync(home, { recursive: true }));

it('without any cluster the next command creates one', () => {
  expect(noSuchCluster({ home, name: 'lab' })).toMatchObject({
    message: 'there is no cluster lab',
    code: 'cluster/none',
    next: 'headstart cluster up --name lab',
  });
});

it('the error names the existing clusters', () => {
  mkdirSync(join(home, 'clusters', 'prod'), { recursive: true });
  writeClusterRecord(
    { home, name: 'prod' },
    {
      ...{ format: 1, createdMs: 1, kubernetes: 'v1.35.8', programs: '/nowhere', guestAddress: '168.0.0.10' },
      ports: { etcd: 1, 'etcd-peer': 2, 'kube-apiserver': 3, 'kube-controller-manager': 4, 'kube-scheduler': 5 },
    },
  );
  expect(noSuchCluster({ home, name: 'lab' })).toMatchObject({
    message: 'there is no cluster lab; known: prod',
    next: 'headstart cluster up --name lab, or name another with --name',
  });
});

it('servers whose folder is gone are named, and the next command kills them', () => {
  const orphans = [
    { server: 'etcd' as const, pid: 7, folder: '/gone' },
    { server: 'kube-apiserver' as const, pid: 8, folder: '/gone' },
  ];
  const error = noSuchCluster({ home, name: 'lab' }, orphans);
  expect(error.message).toContain('etcd (process 7) still runs; its folder /gone is gone');
  expect(error.next).toBe('kill 7 8');
});
