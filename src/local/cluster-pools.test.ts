import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { writePoolRecord } from '../vms/qemu/home/instance-records.ts';
import { poolsOfCluster, refuseWithPools } from './cluster-pools.ts';

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'headstart-cluster-pools-'));
});
afterEach(() => rmSync(home, { recursive: true }));

function addPool(name: string, cluster?: string): void {
  mkdirSync(join(home, 'pools', name, 'instances'), { recursive: true });
  writePoolRecord(home, {
    ...{ revision: 0, modelRevision: 1, nextInstance: 1 },
    traits: { osState: 'generalized', generation: 'V2', architecture: 'x64', securityType: 'Standard' },
    spec: {
      ...{ name, extensions: [], services: [], tags: {}, ...(cluster !== undefined && { cluster }) },
      image: { kind: 'version', id: 'galleries/g/d/1.0.0' },
      size: { cpus: 1, memoryMb: 512, diskGb: 4 },
    },
  });
}

it('poolsOfCluster lists the pools that join the cluster, and no others', () => {
  addPool('a', 'lab');
  addPool('b', 'prod');
  addPool('c');
  expect([...poolsOfCluster({ home, name: 'lab' })].map(({ name }) => name)).toEqual(['a']);
  expect([...poolsOfCluster({ home, name: 'none' })]).toEqual([]);
});

it('a cluster without pools may be deleted', () => {
  addPool('b', 'prod');
  refuseWithPools({ home, name: 'lab' });
});

it('a cluster with pools may not be deleted, and the error has the commands that delete them', () => {
  addPool('a', 'lab');
  expect(() => refuseWithPools({ home, name: 'lab' })).toThrow('a is a pool of cluster lab');
  addPool('b', 'lab');
  expect(() => refuseWithPools({ home, name: 'lab' })).toThrow(
    expect.objectContaining({
      message: 'a, b are pools of cluster lab',
      next: 'headstart pool delete a; headstart pool delete b',
    }),
  );
});
