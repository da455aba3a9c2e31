import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type ClusterPlace, type ClusterRecord, ensureFolder, filesOf } from './cluster-files.ts';
import { EGRESS, KUBE_SERVERS } from './server-flags.ts';
import { differingSettings, launchOf, probeOf, writeSettings } from './server-set-up.ts';

const record: ClusterRecord = {
  ...{ format: 1, createdMs: 1, kubernetes: 'v1.35.8', programs: '/opt/kube', guestAddress: '168.0.0.10' },
  ports: { etcd: 1, 'etcd-peer': 2, 'kube-apiserver': 3, 'kube-controller-manager': 4, 'kube-scheduler': 5 },
};

let place: ClusterPlace;
beforeEach(() => {
  place = { home: mkdtempSync(join(tmpdir(), 'headstart-set-up-')), name: 'lab' };
  ensureFolder(place);
});
afterEach(() => rmSync(place.home, { recursive: true }));

describe('the settings of a cluster', () => {
  it('are written once, for their owner only, and then left alone', () => {
    const names = differingSettings(place, record).map(({ path }) => basename(path));
    expect(names).toEqual([
      'egress.json',
      'kubeconfig',
      'kube-controller-manager.kubeconfig',
      'kube-scheduler.kubeconfig',
    ]);
    writeSettings(place, record);
    expect(differingSettings(place, record)).toEqual([]);
    expect(statSync(filesOf(place).kubeconfig).mode & 0o777).toBe(0o600);
  });

  it('that someone changed differ, and name the program that has to read them again', () => {
    writeSettings(place, record);
    writeFileSync(filesOf(place).egress, '{}');
    expect(differingSettings(place, record)).toMatchObject([{ path: filesOf(place).egress, reader: 'kube-apiserver' }]);
  });

  it('follow the port of the API server', () => {
    writeSettings(place, record);
    const moved = { ...record, ports: { ...record.ports, 'kube-apiserver': 9 } };
    expect(differingSettings(place, moved)).toHaveLength(3);
    writeSettings(place, moved);
    expect(readFileSync(filesOf(place).kubeconfig, 'utf8')).toContain('https://127.0.0.1:9');
  });
});

describe('a program', () => {
  it('is started from the folder of programs, and the egress by the command that was given', () => {
    const edges = { egressCommand: () => ['node', 'egress.ts'] as [string, ...string[]] };
    for (const server of KUBE_SERVERS) {
      const { argv, argv0 } = launchOf(server, place, record, edges);
      expect(argv[0]).toBe(`/opt/kube/${server}`);
      expect(argv0).toBeUndefined();
    }
    expect(launchOf(EGRESS, place, record, edges)).toEqual({ argv: ['node', 'egress.ts'], argv0: EGRESS });
  });

  it('is asked on its own port, by a client it knows where it answers no others', () => {
    const probe = (server: Parameters<typeof probeOf>[0]) => probeOf(server, filesOf(place), record);
    expect(probe('etcd')).toMatchObject({ url: 'https://127.0.0.1:1/health', client: expect.anything() });
    expect(probe('kube-apiserver')).toMatchObject({ url: 'https://127.0.0.1:3/readyz', client: expect.anything() });
    expect(probe('kube-scheduler')).toEqual({ url: 'https://127.0.0.1:5/healthz', ca: '' });
    expect(probe(EGRESS)).toEqual({ folder: filesOf(place).folder, socket: 'egress.sock' });
  });
});
