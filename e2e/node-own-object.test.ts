// e2e/node-own-object.test.ts: which changes can a node make to its Node object, on a real API server with the node authoriser and NodeRestriction
// on, with a kubelet's certificate? Everything that the daemon does, and nothing to other nodes.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { CoreV1Api, KubeConfig } from '@kubernetes/client-node';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemClock } from '../src/base/clock.ts';
import { runCommand } from '../src/base/command.ts';
import { Secret } from '../src/base/secret.ts';
import { exchange } from '../src/node/api/api-server.ts';
import { type KubeletCredential, readKubeletCredential } from '../src/node/api/kubelet-credential.ts';
import { type OwnNode, ownNode } from '../src/node/api/own-node.ts';
import { drainSelf, uncordonSelf } from '../src/node/daemon/drain-self.ts';
import { INITIAL } from '../src/node/daemon/machine.ts';
import { nodeHooks } from '../src/node/daemon/node-hooks.ts';
import type { Announcement, DaemonState } from '../src/node/daemon/state.ts';
import { statusOf } from '../src/node/status/node-status.ts';
import { createStatusPublisher } from '../src/node/status/publish.ts';
import { watchOwnNode } from '../src/node/triggers/node-watch.ts';
import { until } from './labs/cluster-lab.ts';
import { type Plane, startPlane } from './labs/plane.ts';
import { ensureKube } from './programs/ensure-kube.ts';

const BUILD_MS = 2 * 3_600_000;
const [SELF, OTHER] = ['node-a', 'node-b'];
const KUBECONFIG = '/var/lib/kubelet/kubeconfig';
const PEM = '/var/lib/kubelet/pki/kubelet-client-current.pem';

let folder: string;
let plane: Plane;
let core: CoreV1Api;
let node: OwnNode;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'headstart-own-node-'));
  const authority = await makeAuthority();
  plane = await startPlane(await ensureKube(), systemClock, { nodeAuthority: authority });
  const config = new KubeConfig();
  config.loadFromFile(plane.kubeconfig);
  core = config.makeApiClient(CoreV1Api);
  for (const name of [SELF, OTHER]) await core.createNode({ body: { metadata: { name } } });
  await asKubeletWrites(SELF!);
  node = ownNode({ credential: () => credential() });
}, BUILD_MS);

afterAll(async () => {
  await plane?.stop();
  rmSync(folder, { recursive: true, force: true });
});

async function openssl(...args: string[]): Promise<void> {
  const ran = await runCommand(['openssl', ...args]);
  if (ran.code !== 0) throw new Error(ran.stderr);
}

const KEY = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];

async function makeAuthority(): Promise<string> {
  const path = join(folder, 'authority.crt');
  await openssl(
    'req',
    '-x509',
    ...KEY,
    '-subj',
    '/CN=kubelets',
    '-keyout',
    join(folder, 'authority.key'),
    '-out',
    path,
  );
  return path;
}

/** Certificate and key in one file, and a kubeconfig that leads to it. */
async function asKubeletWrites(name: string): Promise<void> {
  const [request, key, certificate] = ['request', 'key', 'crt'].map((end) => join(folder, `node.${end}`)) as [
    string,
    string,
    string,
  ];
  await openssl('req', ...KEY, '-subj', `/O=system:nodes/CN=system:node:${name}`, '-keyout', key, '-out', request);
  const authority = ['-CA', join(folder, 'authority.crt'), '-CAkey', join(folder, 'authority.key'), '-CAcreateserial'];
  await openssl('x509', '-req', '-in', request, ...authority, '-days', '1', '-out', certificate);
  put(PEM, readFileSync(certificate, 'utf8') + readFileSync(key, 'utf8'));
  put('/etc/kubernetes/pki/ca.crt', plane.ca);
  put(
    KUBECONFIG,
    `apiVersion: v1
clusters:
- cluster:
    certificate-authority: /etc/kubernetes/pki/ca.crt
    server: ${plane.url}
  name: default-cluster
contexts:
- context: {cluster: default-cluster, namespace: default, user: default-auth}
  name: default-context
current-context: default-context
kind: Config
preferences: {}
users:
- name: default-auth
  user:
    client-certificate: ${PEM}
    client-key: ${PEM}
`,
  );
}

function put(path: string, text: string): void {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), text, { mode: 0o600 });
}

function credential(): Promise<KubeletCredential | { why: string }> {
  const readText = (path: string) => readFileSync(join(folder, path), 'utf8');
  return readKubeletCredential({ kubeconfig: readText(KUBECONFIG), readText, hostName: undefined });
}

async function ownCredential(): Promise<KubeletCredential> {
  const found = await credential();
  if ('why' in found) throw new Error(found.why);
  return found;
}

/** The same certificate, and the name of another Node. */
function pretender(): OwnNode {
  return ownNode({ credential: async () => ({ ...(await ownCredential()), nodeName: OTHER! }) });
}

const isForbidden = (asked: Promise<unknown>) =>
  expect(asked).rejects.toMatchObject({ name: 'ApiFailure', status: 403 });

function applied(generation: number): DaemonState {
  const slot = { number: 1, generation, hash: 'h', documentHash: 'd', atMs: Date.now() };
  const ofNode = { phase: 'Applied', code: 'ok/applied', detail: `the node runs generation ${generation}` } as const;
  return { ...INITIAL, sinceMs: Date.now(), ofNode, isReady: true, slots: { assigned: slot, active: slot, bad: [] } };
}

describe('a node and its own Node', () => {
  it('takes its name from its certificate, and reads its Node', async () => {
    expect(await ownCredential()).toMatchObject({ nodeName: SELF, server: plane.url });
    expect(await node.get()).toMatchObject({ name: SELF, isUnschedulable: false });
  });

  it('sees an announcement at once while it watches', async () => {
    const stop = new AbortController();
    const heard: Announcement[] = [];
    const troubles: string[] = [];
    const watching = watchOwnNode(
      {
        node,
        clock: systemClock,
        random: Math.random,
        onAnnouncement: (one) => heard.push(one),
        onTrouble: (one) => troubles.push(one),
      },
      stop.signal,
    );
    const announce = async (generation: number) => {
      const read = await core.readNode({ name: SELF! });
      const annotations = {
        'headstart.dev/desired-generation': String(generation),
        'headstart.dev/desired-hash': 'ab'.repeat(32),
      };
      await core.replaceNode({ name: SELF!, body: { ...read, metadata: { ...read.metadata, annotations } } });
    };
    try {
      await announce(7);
      await until(async () => heard.at(-1)?.generation === 7);
      await announce(8);
      await until(async () => heard.at(-1)?.generation === 8);
      expect(heard.at(-1)).toEqual({ generation: 8, documentHash: 'ab'.repeat(32) });
      expect(troubles).toEqual([]);
    } finally {
      stop.abort();
      await watching;
    }
  });

  it('writes its state: annotations, a condition next to others, and an event', async () => {
    const ready = {
      type: 'Ready',
      status: 'True',
      reason: 'KubeletReady',
      message: 'm',
      lastHeartbeatTime: '2026-11-16T05:00:00Z',
      lastTransitionTime: '2026-11-16T05:00:00Z',
    } as const;
    await node.patchCondition(ready);
    const stop = new AbortController();
    const troubles: string[] = [];
    const cluster = createStatusPublisher({
      node,
      clock: systemClock,
      random: Math.random,
      onTrouble: (one) => troubles.push(one),
    });
    const running = cluster.run(stop.signal);
    try {
      for (const generation of [7, 8]) {
        cluster.publish(statusOf(applied(generation), { source: 'x', daemon: { pid: 1, startedAt: 'x' }, skewMs: 0 }));
        await until(async () => {
          const { metadata } = await core.readNode({ name: SELF! });
          return metadata?.annotations?.['headstart.dev/config-generation'] === String(generation);
        });
      }
      const conditions = await until(async () => {
        const { status } = await core.readNode({ name: SELF! });
        return status?.conditions?.some(({ message }) => message?.includes('generation 8')) && status.conditions;
      });
      expect(conditions.map(({ type, status, reason }) => `${type} ${status} ${reason}`).sort()).toEqual([
        'ConfigApplied True OkApplied',
        'Ready True KubeletReady',
      ]);
      await until(async () => {
        const { items } = await core.listNamespacedEvent({ namespace: 'default' });
        return items.some(({ reason, involvedObject }) => reason === 'ConfigApplied' && involvedObject.name === SELF);
      });
      expect(troubles).toEqual([]);
      expect(
        await nodeHooks({ node, clock: systemClock, hasCredential: () => true, hasJoined: () => true }).health(),
      ).toEqual({
        isReachable: true,
        isReady: true,
        heartbeatMs: Date.parse(ready.lastHeartbeatTime),
      });
    } finally {
      stop.abort();
      await running;
    }
  });

  it('sets and removes its labels, except reserved ones', async () => {
    await node.patchMetadata({ labels: { 'example.com/pool': 'pool1' } });
    expect((await node.get())?.labels).toMatchObject({ 'example.com/pool': 'pool1' });
    await node.patchMetadata({ labels: { 'example.com/pool': null } });
    expect((await node.get())?.labels).not.toHaveProperty('example.com/pool');
    await isForbidden(node.patchMetadata({ labels: { 'node-restriction.kubernetes.io/team': 'a' } }));
    await isForbidden(node.patchMetadata({ labels: { 'node-role.kubernetes.io/control-plane': '' } }));
  });

  it('cannot add or remove its taints', async () => {
    const path = `/api/v1/nodes/${SELF}`;
    const asked = (taints: unknown) => ({
      method: 'PATCH' as const,
      path,
      type: 'application/merge-patch+json',
      body: { spec: { taints } },
      timeoutMs: 10_000,
    });
    await isForbidden(exchange(await ownCredential(), asked([{ key: 'a', effect: 'NoSchedule' }])));
    const read = await core.readNode({ name: SELF! });
    await core.replaceNode({
      name: SELF!,
      body: { ...read, spec: { ...read.spec, taints: [{ key: 'b', effect: 'NoSchedule' }] } },
    });
    await isForbidden(exchange(await ownCredential(), asked(null)));
    expect((await node.get())?.taints).toEqual([{ key: 'b', value: '', effect: 'NoSchedule' }]);
  });

  it('cordons itself and evicts its own pods, not those of others', async () => {
    await until(() =>
      core.readNamespacedServiceAccount({ name: 'default', namespace: 'default' }).catch(() => undefined),
    );
    for (const nodeName of [SELF, OTHER]) {
      const spec = {
        nodeName: nodeName!,
        containers: [{ name: 'main', image: 'any' }],
        terminationGracePeriodSeconds: 0,
      };
      await core.createNamespacedPod({ namespace: 'default', body: { metadata: { name: `on-${nodeName}` }, spec } });
    }
    // The authoriser sees new pods with a short delay.
    await until(async () => (await node.pods()).length === 1);
    expect((await node.pods()).map(({ name }) => name)).toEqual([`on-${SELF}`]);
    await drainSelf({ node, clock: systemClock });
    expect((await node.get())?.isUnschedulable).toBe(true);
    await uncordonSelf({ node, clock: systemClock });
    expect((await node.get())?.isUnschedulable).toBe(false);
    await isForbidden(node.evict({ namespace: 'default', name: `on-${OTHER}` }));
  });
});

describe('a node and the Nodes of others', () => {
  it('cannot change them', async () => {
    await isForbidden(pretender().patchMetadata({ annotations: { a: 'b' } }));
    await isForbidden(pretender().patchMetadata({ labels: { 'example.com/a': 'b' } }));
    const time = new Date().toISOString();
    const condition = {
      type: 'ConfigApplied',
      status: 'True',
      reason: 'A',
      message: '',
      lastTransitionTime: time,
      lastHeartbeatTime: time,
    } as const;
    await isForbidden(pretender().patchCondition(condition));
    await isForbidden(pretender().cordon({ isCordoned: true, annotations: {} }));
  });

  it('cannot watch or read them', async () => {
    await isForbidden(pretender().watchMetadata(() => {}, new AbortController().signal));
    await isForbidden(exchange(await ownCredential(), { method: 'GET', path: '/api/v1/nodes', timeoutMs: 10_000 }));
    await isForbidden(pretender().pods());
  });

  it('has no access without its certificate', async () => {
    const found = await ownCredential();
    const stranger = ownNode({
      credential: async () => ({ ...found, proof: { kind: 'token', token: new Secret('x') } }),
    });
    await expect(stranger.get()).rejects.toMatchObject({ name: 'ApiFailure', status: 401 });
  });
});
