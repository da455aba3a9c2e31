// e2e/standing-plane.test.ts: does the real control plane of `headstart cluster` outlive its command, recover after a kill, let a node
// join by token and certificate as that node only, and leave nothing behind?
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer as createKubelet, type RequestOptions, request } from 'node:https';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TLSSocket } from 'node:tls';
import {
  CertificatesV1Api,
  CoreV1Api,
  KubeConfig,
  PatchStrategy,
  RbacAuthorizationV1Api,
  setHeaderOptions,
} from '@kubernetes/client-node';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemClock } from '../src/base/clock.ts';
import { runCommand } from '../src/base/command.ts';
import { Secret } from '../src/base/secret.ts';
import { verb as down } from '../src/cli/cluster/down.ts';
import { verb as status } from '../src/cli/cluster/status.ts';
import { verb as up } from '../src/cli/cluster/up.ts';
import type { ClusterView } from '../src/cli/cluster/view.ts';
import { runVerb } from '../src/cli/testing.ts';
import type { Verb } from '../src/cli/verb.ts';
import { clusterFiles } from '../src/cluster/local/cluster-files.ts';
import {
  bootstrapKubeconfig,
  bootstrapUser,
  createBootstrapToken,
  deleteNode,
  listJoiningRequests,
  revokeBootstrapToken,
} from '../src/cluster/local/joining.ts';
import { renderKubeconfig } from '../src/cluster/local/kubeconfig.ts';
import { KUBE_SERVERS, SERVERS } from '../src/cluster/local/server-flags.ts';
import { serverProcesses } from '../src/cluster/local/server-processes.ts';
import { poolRef } from '../src/vms/qemu/home/layout.ts';
import { type Lab, makeLab, poolSpec, publishEmpty, standInCluster } from '../src/vms/qemu/testing.ts';
import { until } from './labs/cluster-lab.ts';
import { ensurePlanePrograms } from './programs/ensure-kube.ts';

const VICTIM = join(import.meta.dirname, 'labs/cluster-victim.ts');
const STAND_IN = join(import.meta.dirname, 'labs/stand-in-qemu.ts');
const BUILD_MS = 3 * 3_600_000;
const [SELF, OTHER] = ['node-a', 'node-b'];

const home = mkdtempSync(join(tmpdir(), 'headstart-plane-'));
const files = clusterFiles({ home, name: 'lab' });
let programs: string;

beforeAll(async () => {
  programs = await ensurePlanePrograms();
}, BUILD_MS);
afterAll(async () => {
  await runVerb(down, ['--home', home, '--name', 'lab']); // stops everything, even after a failure
  expect(leftRunning()).toEqual([]);
  rmSync(home, { recursive: true });
});

async function ask(verb: Verb, ...argv: string[]): Promise<{ code: number; view: ClusterView; stderr: string }> {
  const { code, stdout, stderr } = await runVerb(verb, ['--home', home, '--name', 'lab', '--json', ...argv]);
  const last = stdout.trim().split('\n}\n').at(-1) ?? '';
  return { code, stderr, view: JSON.parse(last.startsWith('{\n') ? last : (last.split('\n').at(-1) ?? '')) };
}

const pidOf = (view: ClusterView, server: string) => view.programs.find(({ name }) => name === server)?.pid;

async function openssl(...args: string[]): Promise<string> {
  const ran = await runCommand(['openssl', ...args]);
  if (ran.code !== 0) throw new Error(ran.stderr);
  return ran.stdout.toString();
}

describe('a standing control plane', () => {
  let first: ClusterView;

  it('continues with what a killed command has started, and stays unchanged when repeated', async () => {
    const argv = ['cluster', 'up', '--home', home, '--name', 'lab', '--programs', programs];
    const victim = spawn(process.execPath, ['--no-warnings', VICTIM, ...argv], { stdio: 'ignore' });
    const started = await until(async () => serverProcesses.find(files.folder, 'kube-apiserver'));
    victim.kill('SIGKILL');
    const etcd = serverProcesses.find(files.folder, 'etcd');

    const ran = await ask(up);
    expect(ran.code, ran.stderr).toBe(0);
    first = ran.view;
    expect(pidOf(first, 'kube-apiserver')).toBe(started.pid);
    expect(pidOf(first, 'etcd')).toBe(etcd?.pid);
    expect(first).toMatchObject({ kind: 'Cluster', isHealthy: true, nodes: [], kubernetes: 'v1.35.8' });
    const again = await ask(up);
    expect(again.code, again.stderr).toBe(0);
    for (const server of SERVERS) expect(pidOf(again.view, server)).toBe(pidOf(first, server));
  });

  it('has certificates that a strict parser accepts', async () => {
    const at = (file: string) => join(files.pki, file);
    const purposes = {
      apiserver: 'sslserver',
      serving: 'sslserver',
      admin: 'sslclient',
      'kubelet-client': 'sslclient',
    };
    for (const [name, purpose] of Object.entries(purposes)) {
      const told = await openssl(
        'verify',
        '-x509_strict',
        '-purpose',
        purpose,
        '-CAfile',
        at('ca.crt'),
        at(`${name}.crt`),
      );
      expect(told).toContain(': OK');
    }
    await openssl(
      'verify',
      '-x509_strict',
      '-purpose',
      'sslclient',
      '-CAfile',
      at('etcd-ca.crt'),
      at('etcd-client.crt'),
    );
  });

  it('listens on loopback only', () => {
    for (const server of KUBE_SERVERS) {
      const found = listeningOf(pidOf(first, server)!);
      expect(found.length, server).toBeGreaterThan(0);
      for (const address of found) expect(address, server).toBe('0100007F'); // 127.0.0.1
    }
    expect(listeningOf(pidOf(first, 'headstart-egress')!)).toEqual([]);
    expect(statSync(join(files.folder, 'egress.sock')).mode & 0o777).toBe(0o600);
  });

  it('refuses clients without a certificate, or with a certificate for another purpose', async () => {
    const paths = ['/', '/version', '/healthz', '/readyz', '/metrics', '/api/v1/secrets', '/openapi/v2'];
    for (const path of paths) expect(await statusOf(`${first.server}${path}`, {}), path).toBe(401);
    const headers = { authorization: 'Bearer abcdef.0123456789abcdef' };
    expect(await statusOf(`${first.server}/version`, { headers })).toBe(401);
    for (const server of ['kube-controller-manager', 'kube-scheduler']) {
      const url = `https://${first.programs.find(({ name }) => name === server)!.address}`;
      expect(await statusOf(`${url}/healthz`, {})).toBe(200);
      for (const path of ['/metrics', '/configz', '/debug/pprof/', '/flagz', '/'])
        for (const who of [{}, clientPair('admin')]) expect(await statusOf(`${url}${path}`, who), path).toBe(403);
    }
  });

  it('has an etcd that accepts only its own authority, and no administrator of the cluster', async () => {
    const url = `https://${first.programs.find(({ name }) => name === 'etcd')!.address}/health`;
    const ca = readFileSync(join(files.pki, 'etcd-ca.crt'));
    expect(await statusOf(url, { ca, ...clientPair('etcd-client') })).toBe(200);
    for (const who of [{}, clientPair('admin'), clientPair('kubelet-client'), clientPair('apiserver')])
      await expect(statusOf(url, { ca, ...who })).rejects.toMatchObject({ code: expect.any(String) });
  });

  it('has the arguments, settings and roles of this version after up', async () => {
    const rbac = adminClient().makeApiClient(RbacAuthorizationV1Api);
    await rbac.deleteClusterRoleBinding({ name: 'headstart:ask-kubelets' });
    writeFileSync(files.componentKubeconfig('kube-scheduler'), '{}');
    const plan = await runVerb(up, ['--home', home, '--name', 'lab', '--dry-run']);
    expect(plan.stdout).toBe(
      [
        'would stop kube-scheduler, which has read outdated settings',
        'would rewrite kube-scheduler.kubeconfig',
        'would start kube-scheduler',
        'would let nodes with a bootstrap token request a certificate',
        '',
      ].join('\n'),
    );
    const ran = await ask(up);
    expect(ran.code, ran.stderr).toBe(0);
    expect(pidOf(ran.view, 'kube-scheduler')).not.toBe(pidOf(first, 'kube-scheduler'));
    expect(pidOf(ran.view, 'kube-apiserver')).toBe(pidOf(first, 'kube-apiserver'));
    const { roleRef } = await rbac.readClusterRoleBinding({ name: 'headstart:ask-kubelets' });
    expect(roleRef.name).toBe('system:kubelet-api-admin');
    expect((await runVerb(up, ['--home', home, '--name', 'lab', '--dry-run'])).stdout).toBe('nothing to do\n');
    first = ran.view;
  });

  it('reports that its API server was killed, and is repaired by up', async () => {
    process.kill(pidOf(first, 'kube-apiserver')!, 'SIGKILL');
    const broken = await until(async () => {
      const told = await ask(status);
      return told.view.programs.some(({ isRunning }) => !isRunning) && told; // a kill takes a moment
    });
    expect(broken.code).toBe(3);
    const ended = broken.view.programs.filter(({ isRunning }) => !isRunning).map(({ name }) => name);
    expect(ended).toContain('kube-apiserver');
    // A controller manager that is still starting ends when it cannot discover the APIs.
    expect(ended.filter((name) => name !== 'kube-apiserver' && name !== 'kube-controller-manager')).toEqual([]);
    expect(broken.view.nodes).toBeUndefined();
    const ran = await ask(up);
    expect(ran.code, ran.stderr).toBe(0);
    expect(pidOf(ran.view, 'kube-apiserver')).not.toBe(pidOf(first, 'kube-apiserver'));
    expect(pidOf(ran.view, 'etcd')).toBe(pidOf(first, 'etcd'));
    expect(ran.view.server).toBe(first.server);
  });

  it('gives a node with a token a certificate that is valid for that node only', async () => {
    const ca = readFileSync(join(files.pki, 'ca.crt'), 'utf8');
    const access = { kubeconfig: files.kubeconfig, clock: systemClock };
    const { id, token } = await createBootstrapToken(access, 600_000, { note: SELF! });
    const newcomer = clientOf(bootstrapKubeconfig(first.server, ca, token).reveal());
    await expect(newcomer.makeApiClient(CoreV1Api).listNode()).rejects.toMatchObject({ code: 403 });

    const [key, request] = [join(home, 'node.key'), join(home, 'node.csr')];
    const make = ['req', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-keyout', key];
    await openssl(...make, '-subj', `/O=system:nodes/CN=system:node:${SELF}`, '-out', request);
    const requests = newcomer.makeApiClient(CertificatesV1Api);
    await requests.createCertificateSigningRequest({
      body: {
        metadata: { name: SELF! },
        spec: {
          request: readFileSync(request, 'base64'),
          signerName: 'kubernetes.io/kube-apiserver-client-kubelet',
          usages: ['digital signature', 'client auth'],
        },
      },
    });
    const signed = await until(async () => {
      const { status: seen } = await requests.readCertificateSigningRequest({ name: SELF! });
      return seen?.certificate;
    });
    expect(await listJoiningRequests(access)).toMatchObject([
      { name: SELF, requestor: bootstrapUser(id), state: 'issued' },
    ]);
    await revokeBootstrapToken(access, id);
    await until(() =>
      newcomer
        .makeApiClient(CoreV1Api)
        .listNode()
        .then(
          () => false as const,
          ({ code }: { code: number }) => code === 401, // the API server caches tokens for a moment
        ),
    );
    await revokeBootstrapToken(access, id); // an already deleted object is success
    const cert = Buffer.from(signed, 'base64').toString();
    const [etcdCa, nodeKey] = [readFileSync(join(files.pki, 'etcd-ca.crt')), readFileSync(key)];
    const etcd = first.programs.find(({ name }) => name === 'etcd')!.address;
    await expect(statusOf(`https://${etcd}/health`, { ca: etcdCa, cert, key: nodeKey })).rejects.toThrow();
    const node = clientOf(renderKubeconfig({ url: first.server, ca, cert, key: readFileSync(key, 'utf8') }));
    const core = node.makeApiClient(CoreV1Api);
    await core.createNode({ body: { metadata: { name: SELF! } } });
    await expect(core.createNode({ body: { metadata: { name: OTHER! } } })).rejects.toMatchObject({ code: 403 });
    await expect(core.listNamespacedSecret({ namespace: 'kube-system' })).rejects.toMatchObject({ code: 403 });
  });

  it('monitors its nodes and places pods on Ready ones', async () => {
    const config = adminClient();
    const core = config.makeApiClient(CoreV1Api);
    const now = new Date();
    const conditions = [
      { type: 'Ready', status: 'True', lastHeartbeatTime: now, lastTransitionTime: now, reason: 'x' },
    ];
    const size = { cpu: '1', memory: '1Gi', pods: '10' };
    const merge = setHeaderOptions('Content-Type', PatchStrategy.MergePatch); // the controllers write to it, too
    await core.patchNodeStatus(
      { name: SELF!, body: { status: { conditions, capacity: size, allocatable: size } } },
      merge,
    );
    await until(() =>
      core.readNamespacedServiceAccount({ name: 'default', namespace: 'default' }).catch(() => undefined),
    );
    await core.createNamespacedPod({
      namespace: 'default',
      body: { metadata: { name: 'placed' }, spec: { containers: [{ name: 'main', image: 'any' }] } },
    });
    const placed = await until(async () => {
      const { spec } = await core.readNamespacedPod({ name: 'placed', namespace: 'default' });
      return spec?.nodeName;
    });
    expect(placed).toBe(SELF);
    // An aggregated role: without its controller, bindings to it grant nothing.
    const view = await until(async () => {
      const role = await config.makeApiClient(RbacAuthorizationV1Api).readClusterRole({ name: 'view' });
      return role.rules?.length ? role : undefined;
    });
    expect(view.rules?.length).toBeGreaterThan(5);
    expect((await ask(status)).view.nodes).toMatchObject([{ name: SELF, isReady: true }]);
  });

  it('does not connect to the address that a node reports', async () => {
    const core = adminClient().makeApiClient(CoreV1Api);
    let calls = 0;
    const stranger = createServer((socket) => {
      calls += 1;
      socket.destroy();
    });
    await new Promise<void>((resolve) => stranger.listen(0, '127.0.0.1', resolve));
    const { port } = stranger.address() as AddressInfo;
    const addresses = [{ type: 'InternalIP', address: '127.0.0.1' }];
    const daemonEndpoints = { kubeletEndpoint: { Port: port } };
    const merge = setHeaderOptions('Content-Type', PatchStrategy.MergePatch);
    await core.patchNodeStatus({ name: SELF!, body: { status: { addresses, daemonEndpoints } } }, merge);
    const asked = () => core.readNamespacedPodLog({ name: 'placed', namespace: 'default' });
    await expect(asked()).rejects.toMatchObject({ code: 500, body: expect.stringContaining('code 403') });
    expect(calls).toBe(0);
    stranger.close();
    expect(readFileSync(files.log('headstart-egress'), 'utf8')).toContain(`refused "127.0.0.1:${port}"`);
  });

  it('reads logs from the kubelet of a running instance in a pool of the cluster', async () => {
    const core = adminClient().makeApiClient(CoreV1Api);
    const { address, folder, vmId } = await makeInstance();
    const kubelet = createKubelet(
      { ...clientPair('apiserver'), ca: readFileSync(join(files.pki, 'ca.crt')), requestCert: true },
      (asked, answer) => {
        const { CN } = (asked.socket as TLSSocket).getPeerCertificate().subject;
        answer.end(`${CN} asks for ${asked.url}`);
      },
    );
    await new Promise<void>((resolve) => kubelet.listen(0, '127.0.0.1', resolve));
    const { port } = kubelet.address() as AddressInfo;
    const machine = spawn(process.execPath, ['--no-warnings', STAND_IN, address, String(port), '-uuid', vmId], {
      cwd: folder,
      stdio: 'ignore',
    });
    try {
      const status = {
        addresses: [{ type: 'InternalIP', address }],
        daemonEndpoints: { kubeletEndpoint: { Port: 10250 } },
      };
      const merge = setHeaderOptions('Content-Type', PatchStrategy.MergePatch);
      await core.patchNodeStatus({ name: SELF!, body: { status } }, merge);
      const read = () => core.readNamespacedPodLog({ name: 'placed', namespace: 'default' });
      const log = await until(() => read().catch(() => undefined)); // refused until the machine runs
      expect(log).toBe('kube-apiserver-kubelet-client asks for /containerLogs/default/placed/main');
      machine.kill('SIGKILL');
      kubelet.closeAllConnections(); // they belong to the stopped machine
      await until(() =>
        read().then(
          () => false as const,
          ({ body }: { body: string }) => body.includes('code 403'),
        ),
      );
    } finally {
      machine.kill('SIGKILL');
      kubelet.close();
    }
  });

  it('upgrades to newer programs with all data, and refuses a downgrade', async () => {
    const newer = join(home, 'newer');
    mkdirSync(newer);
    for (const server of KUBE_SERVERS) symlinkSync(join(programs, server), join(newer, server));
    // From outside it looks like the same program under another name.
    const apiServer = join(programs, 'kube-apiserver');
    rmSync(join(newer, 'kube-apiserver'));
    const script = `#!/bin/sh\n[ "$1" = --version ] && exec echo Kubernetes v1.35.9\nexec '${apiServer}' "$@"\n`;
    writeFileSync(join(newer, 'kube-apiserver'), script, { mode: 0o755 });
    const before = (await ask(status)).view;
    const ran = await ask(up, '--programs', newer);
    expect(ran.code, ran.stderr).toBe(0);
    expect(ran.view).toMatchObject({ kubernetes: 'v1.35.9', isHealthy: true, nodes: [{ name: SELF }] });
    for (const server of KUBE_SERVERS) expect(pidOf(ran.view, server)).not.toBe(pidOf(before, server));
    expect(pidOf(ran.view, 'headstart-egress')).toBe(pidOf(before, 'headstart-egress'));
    const back = await runVerb(up, ['--home', home, '--name', 'lab', '--programs', programs]);
    expect(back.code).toBe(2);
    expect(back.stderr).toContain('cluster/other-version');
    expect((await runVerb(up, ['--home', home, '--name', 'lab', '--dry-run'])).stdout).toBe('nothing to do\n');
  });

  it('forgets a node that is deleted', async () => {
    const access = { kubeconfig: files.kubeconfig, clock: systemClock };
    await deleteNode(access, SELF!);
    await deleteNode(access, SELF!); // an already deleted object is success
    expect((await ask(status)).view.nodes).toEqual([]);
  });

  it('stops and is deleted completely', async () => {
    expect((await ask(down)).code).toBe(0);
    expect(leftRunning()).toEqual([]);
    expect((await ask(status)).code).toBe(3);
    const refused = await runVerb(down, ['--home', home, '--name', 'lab', '--delete', '--yes']);
    expect(refused.stderr).toContain('nodes is a pool of cluster lab');
    expect(refused.code).toBe(1);
    await withPools(({ provider }) => provider.pools.deletePool(poolRef('nodes')));
    expect((await ask(down, '--delete', '--yes')).code).toBe(0);
    expect(readdirSync(join(home, 'clusters'))).toEqual([]);
  });
});

/** An instance that exists only in the records of a pool of this cluster. */
function makeInstance(): Promise<{ address: string; folder: string; vmId: string }> {
  return withPools(async (pools) => {
    const spec = poolSpec(await publishEmpty(pools), { name: 'nodes', cluster: 'lab' });
    const { ref } = await pools.provider.pools.createPool(spec);
    const [instance] = await pools.provider.pools.setCapacity(ref, 1);
    const { address, folder } = await pools.provider.guests.readDetails(instance!.ref);
    return { address, folder, vmId: instance!.vmId };
  });
}

async function withPools<T>(use: (pools: Lab) => Promise<T>): Promise<T> {
  const server = { address: '168.0.0.10', port: 6443, to: { host: '127.0.0.1', port: 6443 } };
  const joinCluster = standInCluster({ admit: async () => ({ server, credential: new Secret('') }) });
  const pools = makeLab({ home, joinCluster, newVmId: randomUUID });
  try {
    return await use(pools);
  } finally {
    pools.end(); // deletes its own folder, not our home
  }
}

function adminClient(): KubeConfig {
  const config = new KubeConfig();
  config.loadFromFile(files.kubeconfig);
  return config;
}

const clientPair = (name: string) => ({
  cert: readFileSync(join(files.pki, `${name}.crt`)),
  key: readFileSync(join(files.pki, `${name}.key`)),
});

/** The server's answer; throws if it hangs up. */
function statusOf(url: string, options: RequestOptions): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const ca = readFileSync(join(files.pki, 'ca.crt'));
    const asking = request(url, { ca, agent: false, ...options }, (answer) => {
      answer.resume().once('end', () => resolve(answer.statusCode));
      answer.once('error', reject);
    });
    asking.once('error', reject).end();
  });
}

function clientOf(kubeconfig: string): KubeConfig {
  const path = join(home, 'client.kubeconfig');
  writeFileSync(path, kubeconfig, { mode: 0o600 });
  const config = new KubeConfig();
  config.loadFromFile(path);
  return config;
}

/** The addresses, as the kernel writes them, of the sockets on which a process waits for connections. */
function listeningOf(pid: number): string[] {
  const sockets = new Set(readdirSync(`/proc/${pid}/fd`).map((fd) => linkOf(`/proc/${pid}/fd/${fd}`)));
  return ['tcp', 'tcp6'].flatMap((kind) =>
    readFileSync(`/proc/${pid}/net/${kind}`, 'utf8')
      .split('\n')
      .slice(1)
      .map((line) => line.trim().split(/\s+/))
      .filter(([, , , state, , , , , , inode]) => state === '0A' && sockets.has(`socket:[${inode}]`))
      .map(([, local = '']) => local.split(':')[0]!),
  );
}

function linkOf(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return ''; // closed meanwhile
  }
}

function leftRunning(): string[] {
  return readdirSync('/proc').filter((pid) => /^\d+$/.test(pid) && linkOf(`/proc/${pid}/cwd`).startsWith(files.folder));
}
