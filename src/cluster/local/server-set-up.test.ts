import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type ClusterPlace, type ClusterRecord, clusterFiles } from './cluster-files.ts';
import { EGRESS, KUBE_SERVERS } from './server-flags.ts';
import { differingSettings, probeOf, serverCommand, writeSettings } from './server-set-up.ts';

const record: ClusterRecord = {
  format: 1,
  kubernetes: 'v1.35.8',
  programs: '/opt/kube',
  ports: { etcd: 1, 'etcd-peer': 2, 'kube-apiserver': 3, 'kube-controller-manager': 4, 'kube-scheduler': 5 },
  guestAddress: '168.0.0.10',
  createdMs: 0,
};
let place: ClusterPlace;
beforeEach(() => {
  place = { home: mkdtempSync(join(tmpdir(), 'headstart-set-up-')), name: 'lab' };
  mkdirSync(clusterFiles(place).pki, { recursive: true });
});
afterEach(() => rmSync(place.home, { recursive: true }));

describe('the command line of a server', () => {
  const deps = { egressCommand: () => ['/usr/bin/node', 'egress.ts'] as const };

  it.each(KUBE_SERVERS)('runs %s from the folder of programs and names only its own port', (server) => {
    const { argv, argv0 } = serverCommand(server, place, record, deps);
    expect(argv[0]).toBe(`/opt/kube/${server}`);
    expect(argv0).toBeUndefined();
  });

  it('of the egress proxy has its own argv[0]', () => {
    expect(serverCommand(EGRESS, place, record, deps)).toEqual({ argv: ['/usr/bin/node', 'egress.ts'], argv0: EGRESS });
  });
});

describe('the health probe of a server', () => {
  it('has a client certificate only for servers that require one', () => {
    const files = clusterFiles(place);
    writeFileSync(join(files.pki, 'etcd-client.crt'), 'CERT');
    const clients = KUBE_SERVERS.map((server) => [server, 'client' in probeOf(server, files, record)]);
    expect(Object.fromEntries(clients)).toEqual({
      etcd: true,
      'kube-apiserver': true,
      'kube-controller-manager': false,
      'kube-scheduler': false,
    });
    expect(probeOf('etcd', files, record)).toMatchObject({ client: { cert: 'CERT', key: '' } });
  });
});

describe('the settings of a plane', () => {
  it('do not differ after they were written', () => {
    expect(differingSettings(place, record).length).toBeGreaterThan(0);
    writeSettings(place, record);
    expect(differingSettings(place, record)).toEqual([]);
  });

  it('that were changed are listed with the server that reads them', () => {
    writeSettings(place, record);
    writeFileSync(clusterFiles(place).egress, '{}');
    const differing = differingSettings(place, record).map(({ path, reader }) => [basename(path), reader]);
    expect(differing).toEqual([['egress.json', 'kube-apiserver']]);
  });

  it('of all servers follow the port of the API server', () => {
    writeSettings(place, record);
    const moved = { ...record, ports: { ...record.ports, 'kube-apiserver': 33 } };
    expect(differingSettings(place, moved).map(({ path }) => basename(path))).toEqual([
      'kubeconfig',
      'kube-controller-manager.kubeconfig',
      'kube-scheduler.kubeconfig',
    ]);
  });
});
