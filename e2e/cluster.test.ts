// e2e/cluster.test.ts: does our Kubernetes client pass its suite on a real API server, with exactly the shipped rights?
import type { V1Pod } from '@kubernetes/client-node';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemClock } from '../src/base/clock.ts';
import { runCommand } from '../src/base/command.ts';
import { TransientError } from '../src/base/errors.ts';
import { Forbidden } from '../src/base/failures.ts';
import { type ClusterLab, clusterContract } from '../src/cluster/cluster.suite.ts';
import type { Cluster, Pod } from '../src/cluster/cluster.ts';
import { drainNode } from '../src/cluster/drain/drain.ts';
import { kubernetesCluster } from '../src/cluster/kubernetes/cluster.ts';
import { helperPod } from '../src/cluster/kubernetes/helper-pod.ts';
import { kubernetesNodeReader } from '../src/cluster/kubernetes/read-node.ts';
import { CLUSTER_RULES, FORCED_DRAIN_RULES, type RbacRule } from '../src/cluster/kubernetes/rights.ts';
import { type KubeLab, openLab, type Rights, SHIPPED, until } from './labs/cluster-lab.ts';

const FORCED: Rights = { ...SHIPPED, cluster: [...CLUSTER_RULES, ...FORCED_DRAIN_RULES] };
/** The first run builds Kubernetes. */
const BUILD_MS = 2 * 3_600_000;

type TokenLab = NonNullable<ClusterLab['tokens']>;

let lab: KubeLab;
let cluster: Cluster;
/** Has all rights. */
let operator: Cluster;
let namespace: string;
let serial = 0;

beforeAll(async () => {
  lab = await openLab();
  ({ cluster, namespace } = await lab.account(FORCED));
  operator = await kubernetesCluster({ kubeconfig: lab.plane.kubeconfig, clock: systemClock });
}, BUILD_MS);

afterAll(() => lab?.close());

/** A node and a namespace that no other test uses. */
async function fresh(): Promise<{ nodeName: string; shop: string }> {
  const nodeName = `node-${++serial}`;
  const shop = `shop-${serial}`;
  await lab.kubelets.addNode(nodeName);
  await lab.addNamespace(shop);
  return { nodeName, shop };
}

const labelled = (app: string): V1Pod => ({ metadata: { labels: { app } } });

clusterContract('Kubernetes', async (): Promise<ClusterLab> => {
  const prefix = `contract-${++serial}-`;
  const shop = `shop-${serial}`;
  await lab.addNamespace(shop);
  return {
    cluster,
    prefix,
    addNode: (name) => lab.kubelets.addNode(name),
    removeNode: async (name) => void (await lab.core.deleteNode({ name })),
    touchNode: async (name) => {
      const node = await lab.core.readNode({ name });
      node.metadata!.labels = { ...node.metadata!.labels, touched: 'yes' };
      await lab.core.replaceNode({ name, body: node });
    },
    pass: (ms) => systemClock.sleep(ms),
    addPod: async ({ nodeName, name, ownerKind }) => {
      const owner = ownerKind && (await ownedBy(shop, ownerKind));
      await lab.addPod(shop, nodeName, name, owner || {});
    },
    tokens: { cluster: operator, add: addToken },
    answerScripts: (answer) => {
      lab.kubelets.dials.runScript = answer;
    },
  };
});

async function addToken({ id, secret, expiresMs, isForJoining }: Parameters<TokenLab['add']>[0]): Promise<void> {
  const stringData = {
    'token-id': id,
    'token-secret': secret,
    'usage-bootstrap-authentication': String(isForJoining),
    ...(expiresMs !== undefined && { expiration: new Date(expiresMs).toISOString() }),
  };
  const metadata = { name: `bootstrap-token-${id}` };
  const body = { metadata, type: 'bootstrap.kubernetes.io/token', stringData };
  await lab.core.createNamespacedSecret({ namespace: 'kube-system', body });
}

describe('a bootstrap token', () => {
  it('cannot be read with the rights of a run, and the client reports that', async () => {
    await addToken({ id: 'bbbbb1', secret: '0123456789abcdef', isForJoining: true });
    await expect(cluster.readBootstrapToken('bbbbb1')).rejects.toBeInstanceOf(Forbidden);
  });
});

/** Creates the owner, because the garbage collector would delete the pod without it. */
async function ownedBy(shop: string, kind: string): Promise<V1Pod> {
  const selector = { matchLabels: { app: 'owned' } };
  const template = { metadata: { labels: { app: 'owned' } }, spec: { containers: [{ name: 'main', image: 'any' }] } };
  const body = { metadata: { name: 'owner' }, spec: { selector, template } };
  const owner =
    kind === 'DaemonSet'
      ? await lab.apps.createNamespacedDaemonSet({ namespace: shop, body })
      : await lab.apps.createNamespacedReplicaSet({
          namespace: shop,
          body: { ...body, spec: { ...body.spec, replicas: 1 } },
        });
  const uid = owner.metadata!.uid!;
  const reference = { apiVersion: 'apps/v1', kind, name: 'owner', uid, controller: true };
  return { metadata: { labels: { app: 'owned' }, ownerReferences: [reference] } };
}

interface Budget {
  name?: string;
  minAvailable?: number;
  maxUnavailable?: number;
  unhealthyPodEvictionPolicy?: string;
}

/** Returns once the controller has observed it. */
async function addBudget(shop: string, app: string, { name = 'budget', ...spec }: Budget): Promise<void> {
  const body = { metadata: { name }, spec: { selector: { matchLabels: { app } }, ...spec } };
  await lab.policy.createNamespacedPodDisruptionBudget({ namespace: shop, body });
  await until(async () => {
    const { status } = await lab.policy.readNamespacedPodDisruptionBudget({ name, namespace: shop });
    return status?.observedGeneration === 1;
  });
}

describe('an eviction on the wire', () => {
  it('without a budget is accepted, and the pod stays until kubelet ends it', async () => {
    const { nodeName, shop } = await fresh();
    const pod = await lab.addPod(shop, nodeName, 'slow');
    lab.kubelets.dials.neverEnds = ({ metadata }) => metadata?.namespace === shop;
    expect(await cluster.evict(pod, undefined)).toEqual({ outcome: 'evicted' });
    const [ending] = await cluster.listPods(nodeName);
    expect(ending!.deletionMs).toBeGreaterThan(Date.now());
    expect(await cluster.evict(pod, undefined)).toEqual({ outcome: 'evicted' });
    lab.kubelets.dials.neverEnds = () => false;
    await until(async () => (await cluster.listPods(nodeName)).length === 0);
    expect(await cluster.evict(pod, undefined)).toEqual({ outcome: 'gone' });
  });

  it('has the requested grace period', async () => {
    const { nodeName, shop } = await fresh();
    const pod = await lab.addPod(shop, nodeName, 'slow');
    lab.kubelets.dials.neverEnds = ({ metadata }) => metadata?.namespace === shop;
    await cluster.evict(pod, 300);
    const [ending] = await cluster.listPods(nodeName);
    expect(ending!.deletionMs! - Date.now()).toBeGreaterThan(200_000);
    lab.kubelets.dials.neverEnds = () => false;
  });

  it('with another uid reports a deleted pod', async () => {
    const { nodeName, shop } = await fresh();
    const pod = await lab.addPod(shop, nodeName, 'one');
    expect(await cluster.evict({ ...pod, uid: '00000000-0000-0000-0000-000000000000' }, 0)).toEqual({
      outcome: 'gone',
    });
    expect(await cluster.listPods(nodeName)).toMatchObject([{ uid: pod.uid }]);
  });

  it('is blocked by a budget, without a retry time from the server', async () => {
    const { nodeName, shop } = await fresh();
    const pod = await lab.addPod(shop, nodeName, 'one', labelled('a'));
    await addBudget(shop, 'a', { minAvailable: 1 });
    const eviction = await cluster.evict(pod, undefined);
    expect(eviction).toMatchObject({ outcome: 'blocked', reason: expect.stringContaining('needs 1 healthy pods') });
    expect(eviction).not.toHaveProperty('retryAfterMs');
  });

  it("is blocked while the budget is not observed, with the server's retry time", async () => {
    const { nodeName, shop } = await fresh();
    const pod = await lab.addPod(shop, nodeName, 'one', labelled('a'));
    lab.plane.pauseControllers();
    try {
      const body = { metadata: { name: 'new' }, spec: { selector: { matchLabels: { app: 'a' } }, maxUnavailable: 1 } };
      await lab.policy.createNamespacedPodDisruptionBudget({ namespace: shop, body });
      expect(await cluster.evict(pod, undefined)).toMatchObject({ outcome: 'blocked', retryAfterMs: 10_000 });
    } finally {
      lab.plane.resumeControllers();
    }
  });

  it('is blocked for good by two budgets', async () => {
    const { nodeName, shop } = await fresh();
    const pod = await lab.addPod(shop, nodeName, 'one', labelled('a'));
    await addBudget(shop, 'a', { name: 'first', minAvailable: 0 });
    await addBudget(shop, 'a', { name: 'second', minAvailable: 0 });
    expect(await cluster.evict(pod, undefined)).toMatchObject({ outcome: 'stuck' });
  });

  it.each([
    ['blocked by default', undefined, 'blocked'],
    ['allowed where the budget says so', 'AlwaysAllow', 'evicted'],
  ])('of an unready pod whose budget is short is %s', async (_, unhealthyPodEvictionPolicy, outcome) => {
    const { nodeName, shop } = await fresh();
    lab.kubelets.dials.neverReady = ({ metadata }) => metadata?.namespace === shop;
    const pod = await lab.addPod(shop, nodeName, 'one', labelled('a'));
    await addBudget(shop, 'a', { minAvailable: 1, ...(unhealthyPodEvictionPolicy && { unhealthyPodEvictionPolicy }) });
    expect(await cluster.evict(pod, undefined)).toMatchObject({ outcome });
    lab.kubelets.dials.neverReady = () => false;
  });

  it('of a bare pod with a budget in maxUnavailable is blocked for good', async () => {
    const { nodeName, shop } = await fresh();
    const pod = await lab.addPod(shop, nodeName, 'one', labelled('a'));
    await addBudget(shop, 'a', { maxUnavailable: 1 });
    expect(await cluster.evict(pod, undefined)).toMatchObject({ outcome: 'blocked' });
  });
});

describe('draining a node of a real cluster', () => {
  const calm = { graceSeconds: undefined, isForced: false };
  const deps = { clock: systemClock };

  async function kubectlDrain(nodeName: string, ...flags: string[]) {
    const { code, stdout, stderr } = await runCommand(
      [lab.tools.kubectl, '--kubeconfig', lab.plane.kubeconfig, 'drain', nodeName, '--ignore-daemonsets', ...flags],
      { timeoutMs: 60_000 },
    );
    return { code, text: `${stdout}${stderr}` };
  }

  it('evicts and skips the same pods as kubectl', async () => {
    const { nodeName, shop } = await fresh();
    const node = (await cluster.readNode(nodeName))!;
    await cluster.changeNode(node, { isUnschedulable: true });
    const replicated = await ownedBy(shop, 'ReplicaSet');
    const volumes = [{ name: 'scratch', emptyDir: {} }];
    await lab.addPod(shop, nodeName, 'web', {
      ...replicated,
      spec: { containers: [{ name: 'main', image: 'any' }], volumes },
    });
    await lab.addPod(shop, nodeName, 'static', { metadata: { annotations: { 'kubernetes.io/config.mirror': 'x' } } });
    const other = `${shop}-daemons`;
    await lab.addNamespace(other);
    await lab.addPod(other, nodeName, 'agent', await ownedBy(other, 'DaemonSet'));

    await drainNode(cluster, nodeName, calm, deps);
    expect((await cluster.listPods(nodeName)).map(({ name }) => name).sort()).toEqual(['agent', 'static']);
    const { code, text } = await kubectlDrain(nodeName);
    expect([code, text]).toEqual([0, expect.stringContaining(`node/${nodeName} drained`)]);
    expect(text).not.toContain('evicting pod');
  });

  it('refuses the same pods as kubectl, before any eviction', async () => {
    const { nodeName, shop } = await fresh();
    await lab.addPod(shop, nodeName, 'web', await ownedBy(shop, 'ReplicaSet'));
    await lab.addPod(shop, nodeName, 'bare');
    await expect(drainNode(cluster, nodeName, calm, deps)).rejects.toMatchObject({
      code: 'prototype/drain-refused',
      message: expect.stringContaining(`${shop}/bare`),
    });
    expect((await kubectlDrain(nodeName)).code).toBe(1);
    const pods = await cluster.listPods(nodeName);
    expect(pods.map(({ name, deletionMs }) => [name, deletionMs])).toEqual([
      ['bare', undefined],
      ['web', undefined],
    ]);
  });

  it('continues as fast as the budget of a deployment allows', async () => {
    const { nodeName, shop } = await fresh();
    const template = {
      metadata: { labels: { app: 'a' } },
      spec: { nodeName, containers: [{ name: 'main', image: 'any' }] },
    };
    const body = {
      metadata: { name: 'web' },
      spec: { replicas: 2, selector: { matchLabels: { app: 'a' } }, template },
    };
    await lab.apps.createNamespacedDeployment({ namespace: shop, body });
    const running = () => cluster.listPods(nodeName).then((pods) => pods.filter(({ phase }) => phase === 'Running'));
    await until(async () => (await running()).length === 2);
    const before = (await running()).map(({ uid }) => uid);
    await addBudget(shop, 'a', { minAvailable: 2 });
    const waits: string[] = [];
    const draining = drainNode(cluster, nodeName, calm, { ...deps, onWaiting: (what) => waits.push(what) });
    await until(async () => waits.some((wait) => wait.includes('needs 2 healthy pods')));
    // From now on the budget allows one eviction at a time, the next when a replacement is ready.
    await lab.policy.patchNamespacedPodDisruptionBudget({
      name: 'budget',
      namespace: shop,
      body: [{ op: 'replace', path: '/spec/minAvailable', value: 1 }],
    });
    await draining;
    const after = (await cluster.listPods(nodeName)).map(({ uid }) => uid);
    for (const uid of before) expect(after).not.toContain(uid);
  });

  it('deletes bare pods, pods past their grace period and blocked pods when forced', async () => {
    const { nodeName, shop } = await fresh();
    await lab.addPod(shop, nodeName, 'bare');
    await lab.addPod(shop, nodeName, 'never-ends', labelled('n'));
    await lab.addPod(shop, nodeName, 'kept', labelled('a'));
    await addBudget(shop, 'a', { minAvailable: 1 });
    lab.kubelets.dials.neverEnds = ({ metadata }) => metadata?.name === 'never-ends';
    const timeoutMs = 6_000;
    await drainNode(cluster, nodeName, { graceSeconds: 1, isForced: true, timeoutMs }, deps);
    expect(await cluster.listPods(nodeName)).toEqual([]);
    lab.kubelets.dials.neverEnds = () => false;
  });

  it('names the budget when it gives up, and can be interrupted and repeated', async () => {
    const { nodeName, shop } = await fresh();
    await lab.addPod(shop, nodeName, 'kept', { ...(await ownedBy(shop, 'ReplicaSet')) });
    await addBudget(shop, 'owned', { minAvailable: 1 });
    await expect(drainNode(cluster, nodeName, { ...calm, timeoutMs: 3_000 }, deps)).rejects.toMatchObject({
      code: 'prototype/drain-blocked',
      message: expect.stringContaining('needs 1 healthy pods'),
    });
    const stop = new AbortController();
    const stopped = drainNode(cluster, nodeName, calm, {
      ...deps,
      signal: stop.signal,
      onWaiting: () => stop.abort(new Error('enough')),
    });
    await expect(stopped).rejects.toThrow('enough');
    await lab.policy.deleteNamespacedPodDisruptionBudget({ name: 'budget', namespace: shop });
    await drainNode(cluster, nodeName, calm, deps);
    expect((await cluster.listPods(nodeName)).filter(({ name }) => name === 'kept')).toEqual([]);
  });
});

describe('a script on a node', () => {
  const helpers = (nodeName: string) =>
    lab.core
      .listNamespacedPod({ namespace, fieldSelector: `spec.nodeName=${nodeName}` })
      .then(({ items }) => items.map(({ metadata }) => metadata?.name));

  it('replaces the helper pod that a dead run left, which no drain counts as a workload', async () => {
    const { nodeName } = await fresh();
    lab.kubelets.dials.cannotStart = ({ spec }) => (spec?.nodeName === nodeName ? 'Left' : undefined);
    const left = helperPod({ nodeName, namespace, image: 'helper', script: 'old', deadlineMs: 600_000 });
    await lab.core.createNamespacedPod({ namespace, body: left });
    expect(await cluster.listPods(nodeName)).toEqual([]);
    lab.kubelets.dials.cannotStart = () => undefined;
    const asked: string[] = [];
    lab.kubelets.dials.runScript = (_, script) => {
      asked.push(script);
      return { exitCode: 0, stdout: 'new', stderr: '' };
    };
    expect(await cluster.runOnNode(nodeName, 'new', { deadlineMs: 30_000 })).toMatchObject({ stdout: 'new' });
    expect(asked.at(-1)).toBe('new');
    expect(await helpers(nodeName)).toEqual([]);
  });

  it('reads a node with the shipped rights, in a pod that the server accepts and that is removed', async () => {
    const { nodeName } = await fresh();
    const { kubeconfig, namespace: own } = await lab.account(SHIPPED);
    const reader = await kubernetesNodeReader({ kubeconfig, namespace: own, clock: systemClock }, { image: 'helper' });
    const pods: V1Pod[] = [];
    lab.kubelets.dials.runScript = async (_, script) => {
      pods.push(...(await lab.core.listNamespacedPod({ namespace: own })).items);
      const { stdout } = await runCommand(['sh', '-c', script], { timeoutMs: 20_000 });
      return { exitCode: 0, stdout, stderr: '' };
    };
    const output = await reader.runReadOnly(nodeName, "printf 'a\\0b'", { deadlineMs: 30_000 });
    expect(output).toEqual(Buffer.from('a\0b'));
    expect(pods[0]?.spec).toMatchObject({ nodeName, containers: [{ securityContext: { privileged: false } }] });
    expect(pods[0]?.spec?.containers[0]?.volumeMounts?.[0]).toMatchObject({ mountPath: '/host', readOnly: true });
    expect((await lab.core.listNamespacedPod({ namespace: own })).items).toEqual([]);
    expect(JSON.parse((await reader.readObject(nodeName))!)).toMatchObject({ kind: 'Node' });
    expect(await reader.readObject('none')).toBeUndefined();
    lab.kubelets.dials.runScript = () => ({ exitCode: 0, stdout: '', stderr: '' });
  });

  it('that cannot start fails with the reason, and its pod is removed', async () => {
    const { nodeName } = await fresh();
    lab.kubelets.dials.cannotStart = ({ spec }) => (spec?.nodeName === nodeName ? 'ImagePullBackOff' : undefined);
    await expect(cluster.runOnNode(nodeName, 'true', { deadlineMs: 2_000 })).rejects.toMatchObject({
      code: 'cluster/run-timeout',
      message: expect.stringContaining('ImagePullBackOff'),
    });
    expect(await helpers(nodeName)).toEqual([]);
    lab.kubelets.dials.cannotStart = () => undefined;
  });

  it('whose output is truncated fails, and its pod is removed', async () => {
    const { nodeName } = await fresh();
    lab.kubelets.dials.cutsLog = () => true;
    const run = cluster.runOnNode(nodeName, 'true', { deadlineMs: 20_000 });
    await expect(run).rejects.toMatchObject({ code: 'cluster/run-cut' });
    await expect(run).rejects.toBeInstanceOf(TransientError);
    expect(await helpers(nodeName)).toEqual([]);
    lab.kubelets.dials.cutsLog = () => false;
  });

  it('is removed when the waiting run is interrupted', async () => {
    const { nodeName } = await fresh();
    const stop = new AbortController();
    const release = Promise.withResolvers<void>();
    lab.kubelets.dials.runScript = async () => {
      stop.abort(new Error('enough'));
      await release.promise;
      return { exitCode: 0, stdout: '', stderr: '' };
    };
    await expect(cluster.runOnNode(nodeName, 'sleep', { deadlineMs: 30_000, signal: stop.signal })).rejects.toThrow(
      'enough',
    );
    expect(await helpers(nodeName)).toEqual([]);
    release.resolve();
  });
});

it('writes events that kubectl describe node shows', async () => {
  const { nodeName } = await fresh();
  await cluster.recordEvent((await cluster.readNode(nodeName))!, 'PrototypeStarted', 'this node is copied');
  const { stdout } = await runCommand([
    lab.tools.kubectl,
    '--kubeconfig',
    lab.plane.kubeconfig,
    'describe',
    'node',
    nodeName,
  ]);
  expect(stdout.toString()).toContain('this node is copied');
});

describe('the shipped rights', () => {
  const singles = (scope: keyof Rights, rules: readonly RbacRule[]) =>
    rules.flatMap(({ apiGroups, resources, verbs }) =>
      verbs.map((verb) => [`${verb} ${resources[0]}`, scope, { apiGroups, resources, verb }] as const),
    );
  const every = [...singles('cluster', SHIPPED.cluster), ...singles('namespace', SHIPPED.namespace)];

  function without(scope: keyof Rights, resource: string, verb: string): Rights {
    const keep = (rule: RbacRule): RbacRule => ({
      ...rule,
      verbs: rule.resources[0] === resource ? rule.verbs.filter((one) => one !== verb) : rule.verbs,
    });
    // A rule without verbs is refused.
    return { ...SHIPPED, [scope]: SHIPPED[scope].map(keep).filter(({ verbs }) => verbs.length > 0) };
  }

  it('are enough for everything except a forced deletion', async () => {
    const account = await lab.account(SHIPPED);
    const pod = await tour(account.cluster);
    await expect(account.cluster.deletePod(pod, 0)).rejects.toThrow('no right to delete pods');
  });

  it.each(every)('are not enough without %s', async (right, scope, { resources, verb }) => {
    const account = await lab.account(without(scope, resources[0]!, verb));
    const error = await tour(account.cluster).then(
      () => undefined,
      (reason: unknown) => reason,
    );
    expect(error).toBeInstanceOf(Forbidden);
    expect((error as Error).message).toContain(`no right to ${right}`);
  });

  /** All requests of a run to the cluster. */
  async function tour(who: Cluster): Promise<Pod> {
    const { nodeName, shop } = await fresh();
    lab.kubelets.dials.runScript = () => ({ exitCode: 0, stdout: '', stderr: '' });
    await who.listNodes();
    await who.changeNode((await who.readNode(nodeName))!, { isUnschedulable: true });
    await lab.addPod(shop, nodeName, 'agent', await ownedBy(shop, 'DaemonSet'));
    const pod = await lab.addPod(shop, nodeName, 'bare');
    expect(await who.listPods(nodeName)).toHaveLength(2);
    await who.evict(pod, 0);
    for (let i = 0; i < 2; i++) {
      await who.holdLease('pool', { holder: 'run', durationMs: 60_000, note: '' });
      await who.writeSecret('recipe', { a: 'b' });
    }
    await who.readSecret('recipe');
    await who.deleteSecret('recipe');
    await who.runOnNode(nodeName, 'true', { deadlineMs: 20_000 });
    await who.releaseLease('pool', 'run');
    expect(await who.readLease('pool')).toBeUndefined();
    return pod;
  }
});
