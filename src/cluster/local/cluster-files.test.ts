import { chmodSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  type ClusterRecord,
  checkClusterName,
  checkOwn,
  ensureFolder,
  filesOf,
  listClusters,
  portsOfOthers,
  readIfThere,
  readRecord,
  writeRecord,
} from './cluster-files.ts';

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'headstart-files-'));
});
afterEach(() => rmSync(home, { recursive: true }));

const record = (first: number): ClusterRecord => ({
  ...{ format: 1, createdMs: 1, kubernetes: 'v1.35.8', programs: '/p', guestAddress: '168.0.0.10' },
  ports: {
    ...{ etcd: first, 'etcd-peer': first + 1, 'kube-apiserver': first + 2 },
    ...{ 'kube-controller-manager': first + 3, 'kube-scheduler': first + 4 },
  },
});

function make(name: string, first: number): void {
  ensureFolder({ home, name });
  writeRecord({ home, name }, record(first));
}

describe('the name of a cluster', () => {
  it.each(['a', 'lab-2', 'x'.repeat(50)])('may be %s', (name) => expect(checkClusterName(name)).toBe(name));

  it.each(['', '-a', 'a-', 'A', '../x', 'a/b', 'x'.repeat(51)])('may not be %j', (name) => {
    expect(() => checkClusterName(name)).toThrow(expect.objectContaining({ code: 'cluster/bad-name' }));
    expect(() => filesOf({ home, name })).toThrow();
  });
});

describe('the record of a cluster', () => {
  it('comes back as it was written, for its owner only', () => {
    make('lab', 100);
    expect(readRecord({ home, name: 'lab' })).toEqual(record(100));
    expect(statSync(filesOf({ home, name: 'lab' }).record).mode & 0o777).toBe(0o600);
  });

  it('is missing for a cluster that never came to be', () => {
    ensureFolder({ home, name: 'lab' });
    expect(readRecord({ home, name: 'lab' })).toBeUndefined();
  });
});

describe('the clusters of a home', () => {
  it('are listed in order, without those that are being deleted; none where there is no folder', () => {
    expect(listClusters(home)).toEqual([]);
    for (const name of ['b', 'a']) make(name, 100);
    mkdirSync(join(home, 'clusters', '.deleting-c'));
    writeFileSync(join(home, 'clusters', 'file'), '');
    expect(listClusters(home)).toEqual(['a', 'b']);
  });

  it('keep their ports from each other; one that cannot be read has none', () => {
    make('a', 100);
    make('b', 200);
    make('broken', 300);
    writeFileSync(filesOf({ home, name: 'broken' }).record, '{');
    expect([...portsOfOthers({ home, name: 'a' })]).toEqual([200, 201, 202, 203, 204].map((port) => [port, 'b']));
  });
});

describe('the folder of a cluster', () => {
  it('is closed to others, and one that is open is refused', () => {
    ensureFolder({ home, name: 'lab' });
    const { folder } = filesOf({ home, name: 'lab' });
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    chmodSync(folder, 0o750);
    expect(() => ensureFolder({ home, name: 'lab' })).toThrow(
      expect.objectContaining({ code: 'cluster/unsafe-folder' }),
    );
  });

  it('of another user is refused', () => {
    const stat = { isDirectory: () => true, mode: 0o700, uid: (process.getuid?.() ?? 0) + 1 };
    expect(() => checkOwn('/x', stat, 0o077)).toThrow('/x is not a folder of this user');
  });
});

it('a file that is not there is no text; a folder in its place is an error', () => {
  expect(readIfThere(join(home, 'none'))).toBeUndefined();
  expect(() => readIfThere(home)).toThrow('EISDIR');
});
