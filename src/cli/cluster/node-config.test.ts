import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { clusterFiles, writeClusterRecord } from '../../cluster/local/cluster-files.ts';
import { parseDocument } from '../../node/document/document.ts';
import { runVerb } from '../testing.ts';
import { verb } from './node-config.ts';

const CA = readFileSync(new URL('../../node/fixtures/tls/node.crt', import.meta.url), 'utf8');
let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'headstart-node-config-'));
});
afterEach(() => rmSync(home, { recursive: true }));

function makeCluster(): void {
  const place = { home, name: 'local' };
  const { pki } = clusterFiles(place);
  mkdirSync(pki, { recursive: true });
  writeFileSync(join(pki, 'ca.crt'), CA);
  writeClusterRecord(place, {
    format: 1,
    kubernetes: 'v1.35.8',
    programs: '/programs',
    ports: { etcd: 1, 'etcd-peer': 2, 'kube-apiserver': 3, 'kube-controller-manager': 4, 'kube-scheduler': 5 },
    guestAddress: '168.0.0.10',
    createdMs: 0,
  });
}

const call = (...argv: string[]) => runVerb(verb, ['--home', home, ...argv]);
const read = (text: string) =>
  parseDocument(Buffer.from(text), {
    image: { kubernetesVersion: '1.35.8', configApiVersions: ['headstart.dev/v1'], defaults: {}, signers: [] },
    machine: { cpus: 2, memoryBytes: 2 ** 31 },
    nowMs: 0,
  });

it('cluster node-config prints a document that the daemon accepts, with the cluster and without secrets', async () => {
  makeCluster();
  const { stdout } = await call();
  const document = await read(stdout);
  expect(document).toMatchObject({
    outcome: 'accepted',
    config: { cluster: { endpoint: 'https://168.0.0.10:6443' }, join: { method: 'credential' } },
  });
  expect(stdout).not.toMatch(/token|PRIVATE/i);
  expect(stdout).toContain('/etc/cni/net.d/10-bridge.conflist');
  expect((await call('--no-bridge')).stdout).not.toContain('conflist');
});

it('cluster node-config writes to -o, with the given generation', async () => {
  makeCluster();
  const file = join(home, 'node.yaml');
  expect((await call('--generation', '7', '-o', file)).stdout).toBe(`${file}\n`);
  expect(readFileSync(file, 'utf8')).toContain('generation: 7');
});

it('cluster node-config names what is missing', async () => {
  expect((await call()).stderr).toContain('code:  cluster/none');
  makeCluster();
  rmSync(join(clusterFiles({ home, name: 'local' }).pki, 'ca.crt'));
  expect((await call()).stderr).toContain('code:  cluster/no-certificate');
});
