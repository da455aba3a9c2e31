// e2e/joining-watch.test.ts: what does the watch over a joining node see on a real API server? A kubelet's request, approved and signed by
// the real controllers, its Node, Ready, a pod placed by the real scheduler; and an API server that is killed meanwhile.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CertificatesV1Api, CoreV1Api, KubeConfig, PatchStrategy, setHeaderOptions } from '@kubernetes/client-node';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemClock } from '../src/base/clock.ts';
import { runCommand } from '../src/base/command.ts';
import { verb as down } from '../src/cli/cluster/down.ts';
import { verb as up } from '../src/cli/cluster/up.ts';
import { runVerb } from '../src/cli/testing.ts';
import type { Verb } from '../src/cli/verb.ts';
import { openJoinLog, readJoinLog } from '../src/cluster/join-log.ts';
import type { JoinEvent } from '../src/cluster/kubernetes/join-events.ts';
import { type JoinWatch, watchJoining } from '../src/cluster/kubernetes/watch-joining.ts';
import { clusterFiles } from '../src/cluster/local/cluster-files.ts';
import { bootstrapKubeconfig, createBootstrapToken } from '../src/cluster/local/joining.ts';
import { renderKubeconfig } from '../src/cluster/local/kubeconfig.ts';
import { serverProcesses } from '../src/cluster/local/server-processes.ts';
import { until } from './labs/cluster-lab.ts';
import { ensurePlanePrograms } from './programs/ensure-kube.ts';

const BUILD_MS = 3 * 3_600_000;
const NODE = 'pool-000001';
const home = mkdtempSync(join(tmpdir(), 'headstart-joining-'));
const files = clusterFiles({ home, name: 'lab' });
const log = join(home, 'cluster-events.jsonl');
const merge = setHeaderOptions('Content-Type', PatchStrategy.MergePatch);
let admin: CoreV1Api;

const ask = (verb: Verb, ...argv: string[]) => runVerb(verb, ['--home', home, '--name', 'lab', ...argv]);

beforeAll(async () => {
  const ran = await ask(up, '--programs', await ensurePlanePrograms());
  expect(ran.code, ran.stderr).toBe(0);
  const config = new KubeConfig();
  config.loadFromFile(files.kubeconfig);
  admin = config.makeApiClient(CoreV1Api);
  await until(() =>
    admin.readNamespacedServiceAccount({ name: 'default', namespace: 'default' }).catch(() => undefined),
  );
}, BUILD_MS);
afterAll(async () => {
  await ask(down, '--delete', '--yes').catch(() => undefined);
  rmSync(home, { recursive: true });
});

/** Runs until it has seen the expected events, or is stopped. */
function beginWatch(more: Partial<JoinWatch> = {}) {
  const stopping = new AbortController();
  const told: JoinEvent[] = [];
  const startedMs = Date.now();
  const note = openJoinLog(log, startedMs);
  const opening = Promise.withResolvers<void>();
  const watch = {
    kubeconfig: files.kubeconfig,
    nodeName: NODE,
    startedMs,
    clock: systemClock,
    signal: stopping.signal,
  };
  const done = watchJoining({ ...watch, ...more, onOpen: opening.resolve }, (event) => {
    told.push(event);
    note(event);
  });
  done.then(opening.resolve, opening.reject); // ended before it was open
  const saw = (event: JoinEvent['event']) => until(async () => told.find((one) => one.event === event));
  return { told, saw, done, opened: opening.promise, stop: () => stopping.abort() };
}

/** A kubelet's first request, with a token and its own key. */
async function joinAsKubelet(): Promise<CoreV1Api> {
  const ca = readFileSync(join(files.pki, 'ca.crt'), 'utf8');
  const { token } = await createBootstrapToken({ kubeconfig: files.kubeconfig, clock: systemClock }, 600_000);
  const server = serverOf(files.kubeconfig);
  const newcomer = clientOf(bootstrapKubeconfig(server, ca, token).reveal());
  const [key, request] = [join(home, 'node.key'), join(home, 'node.csr')];
  const make = ['req', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-keyout', key];
  const ran = await runCommand([
    'openssl',
    ...make,
    '-subj',
    `/O=system:nodes/CN=system:node:${NODE}`,
    '-out',
    request,
  ]);
  if (ran.code !== 0) throw new Error(ran.stderr);
  const requests = newcomer.makeApiClient(CertificatesV1Api);
  const { metadata } = await requests.createCertificateSigningRequest({
    body: {
      metadata: { generateName: 'node-csr-' },
      spec: {
        request: readFileSync(request, 'base64'),
        signerName: 'kubernetes.io/kube-apiserver-client-kubelet',
        usages: ['digital signature', 'client auth'],
      },
    },
  });
  const certificate = await until(async () => {
    const { status } = await requests.readCertificateSigningRequest({ name: metadata?.name ?? '' });
    return status?.certificate;
  });
  const cert = Buffer.from(certificate, 'base64').toString();
  return clientOf(renderKubeconfig({ url: server, ca, cert, key: readFileSync(key, 'utf8') })).makeApiClient(CoreV1Api);
}

function report(node: CoreV1Api, bootID: string, ready: 'True' | 'False') {
  const now = new Date();
  const size = { cpu: '1', memory: '1Gi', pods: '10' };
  const conditions = [{ type: 'Ready', status: ready, lastHeartbeatTime: now, lastTransitionTime: now, reason: 'x' }];
  const nodeInfo = { bootID } as never; // the server fills in the rest
  return node.patchNodeStatus(
    { name: NODE, body: { status: { conditions, nodeInfo, capacity: size, allocatable: size } } },
    merge,
  );
}

const runs = (startedAt: Date) => ({
  phase: 'Running',
  containerStatuses: [
    { name: 'main', image: 'any', imageID: 'any', ready: true, restartCount: 0, state: { running: { startedAt } } },
  ],
});

describe('a watch over a node that comes up', () => {
  it('sees the request, the certificate, the Node, Ready and the first pod, each once and in order', async () => {
    const watch = beginWatch();
    await watch.opened;
    await systemClock.sleep(300); // the first events may be older than the watch
    const kubelet = await joinAsKubelet();
    await kubelet.createNode({ body: { metadata: { name: NODE } } });
    await report(kubelet, 'a', 'False');
    await report(kubelet, 'a', 'True');
    await watch.saw('node-schedulable');
    const spec = { containers: [{ name: 'main', image: 'any' }] };
    await admin.createNamespacedPod({ namespace: 'default', body: { metadata: { name: 'first' }, spec } });
    await watch.saw('pod-bound');
    const body = { status: runs(new Date()) };
    await kubelet.patchNamespacedPodStatus({ name: 'first', namespace: 'default', body }, merge);
    await watch.saw('pod-running');
    watch.stop();
    await watch.done;
    expect(watch.told.map(({ event }) => event)).toEqual([
      'csr-created',
      'csr-approved',
      'csr-issued',
      'node-registered',
      'node-ready',
      'node-schedulable',
      'pod-bound',
      'pod-running',
    ]);
    expect(watch.told.filter(({ errorMs }) => errorMs !== undefined)).toEqual([]);
    expect(readJoinLog(log)).toEqual(watch.told);
  });

  it('sees the node return after a restart of its VM, although the API server is killed meanwhile', async () => {
    const last = readJoinLog(log).at(-1);
    await until(async () => Date.now() - (last?.atMs ?? 0) > 1_000); // timestamps of objects are whole seconds
    const watch = beginWatch({ until: 'node-ready' });
    await watch.opened;
    const killed = serverProcesses.find(files.folder, 'kube-apiserver');
    process.kill(killed!.pid, 'SIGKILL');
    const ran = await ask(up);
    expect(ran.code, ran.stderr).toBe(0);
    await report(admin, 'b', 'True');
    await watch.done;
    expect(watch.told.map(({ event }) => event)).toEqual(['node-returned', 'node-ready']);
  });

  it('sees a deletion of the node, and fails with a credential that has no right to watch', async () => {
    const watch = beginWatch({ until: 'node-deleted' });
    await watch.opened;
    await report(admin, 'c', 'False');
    await watch.saw('node-returned');
    await admin.deleteNode({ name: NODE });
    await watch.done;

    const ca = readFileSync(join(files.pki, 'ca.crt'), 'utf8');
    const { token } = await createBootstrapToken({ kubeconfig: files.kubeconfig, clock: systemClock }, 600_000);
    const kubeconfig = join(home, 'newcomer.kubeconfig');
    writeFileSync(kubeconfig, bootstrapKubeconfig(serverOf(files.kubeconfig), ca, token).reveal(), { mode: 0o600 });
    const refused = beginWatch({ kubeconfig });
    refused.opened.catch(() => undefined);
    await expect(refused.done).rejects.toMatchObject({ code: 'vms/forbidden' });
  });
});

function serverOf(kubeconfig: string): string {
  const config = new KubeConfig();
  config.loadFromFile(kubeconfig);
  return config.getCurrentCluster()?.server ?? '';
}

function clientOf(kubeconfig: string): KubeConfig {
  const path = join(home, 'client.kubeconfig');
  writeFileSync(path, kubeconfig, { mode: 0o600 });
  const config = new KubeConfig();
  config.loadFromFile(path);
  return config;
}
