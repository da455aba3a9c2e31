import { mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  type ClusterRecord,
  checkOwn,
  clusterFiles,
  ensureFolder,
  listClusters,
  portsOfOthers,
  readClusterRecord,
  readIfExists,
  writeClusterRecord,
} from './cluster-files.ts';

const record: ClusterRecord = {
  format: 1,
  kubernetes: 'v1.35.8',
  programs: '/opt/kube',
  ports: { etcd: 1, 'etcd-peer': 2, 'kube-apiserver': 3, 'kube-controller-manager': 4, 'kube-scheduler': 5 },
  guestAddress: '168.0.0.10',
  createdMs: 0,
};
const code = (expected: string) => expect.objectContaining({ code: expected });

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'headstart-cluster-files-'));
});
afterEach(() => rmSync(home, { recursive: true }));
const placeOf = (name: string) => ({ home, name });

describe('the folder of a cluster', () => {
  it('of another user is refused', () => {
    const folder = { isDirectory: () => true, mode: 0o40700 };
    const uid = process.getuid!();
    expect(() => checkOwn('/x', { ...folder, uid }, 0o077)).not.toThrow();
    expect(() => checkOwn('/x', { ...folder, uid: uid + 1 }, 0o077)).toThrow(code('cluster/unsafe-folder'));
  });

  it('and its files are accessible only to this user', () => {
    ensureFolder(placeOf('lab'));
    writeClusterRecord(placeOf('lab'), record);
    const { folder, record: file } = clusterFiles(placeOf('lab'));
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  it.each(['', '..', '../x', 'A', '-a', 'a-', 'a/b', 'a\0', 'x'.repeat(51)])(
    'is not built from the name %j',
    (name) => {
      expect(() => clusterFiles(placeOf(name))).toThrow(code('cluster/bad-name'));
    },
  );

  it.each(['a', 'a-b', '0', 'x'.repeat(50)])('is built from the name %j', (name) => {
    expect(clusterFiles(placeOf(name)).folder).toBe(join(home, 'clusters', name));
  });
});

describe('the record of a cluster', () => {
  it('is read back unchanged, and is undefined if there is none', () => {
    expect(readClusterRecord(placeOf('lab'))).toBeUndefined();
    ensureFolder(placeOf('lab'));
    writeClusterRecord(placeOf('lab'), record);
    expect(readClusterRecord(placeOf('lab'))).toEqual(record);
  });

  it('with invalid content is an error', () => {
    ensureFolder(placeOf('lab'));
    writeFileSync(clusterFiles(placeOf('lab')).record, JSON.stringify({ ...record, ports: { etcd: 0 } }));
    expect(() => readClusterRecord(placeOf('lab'))).toThrow();
  });
});

describe('the clusters of a home', () => {
  it('are an empty list in an empty home', () => {
    expect(listClusters(home)).toEqual([]);
    expect(portsOfOthers(placeOf('lab')).size).toBe(0);
  });

  it('are listed by name, without clusters that are being deleted', () => {
    for (const name of ['b', 'a', '.deleting-c']) mkdirSync(join(home, 'clusters', name), { recursive: true });
    writeFileSync(join(home, 'clusters', 'file'), '');
    expect(listClusters(home)).toEqual(['a', 'b']);
  });

  it('reserve their ports, except those with an unreadable record', () => {
    for (const name of ['lab', 'other', 'broken']) ensureFolder(placeOf(name));
    writeClusterRecord(placeOf('lab'), record);
    writeClusterRecord(placeOf('other'), { ...record, ports: { ...record.ports, etcd: 11 } });
    writeFileSync(clusterFiles(placeOf('broken')).record, '{');
    const taken = portsOfOthers(placeOf('lab'));
    expect(taken.get(11)).toBe('other');
    expect([...taken.values()]).not.toContain('lab');
    expect([...taken.values()]).not.toContain('broken');
  });
});

describe('a file that may be missing', () => {
  it('is undefined, but one that cannot be read is an error', () => {
    expect(readIfExists(join(home, 'none'))).toBeUndefined();
    expect(() => readIfExists(home)).toThrow('EISDIR');
  });
});
