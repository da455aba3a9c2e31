// e2e/chart-rights.test.ts: are the chart's rights exactly those that a run needs?
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  AppsV1Api,
  AuthorizationV1Api,
  CoreV1Api,
  RbacAuthorizationV1Api,
  type V1PolicyRule,
} from '@kubernetes/client-node';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { systemClock } from '../src/base/clock.ts';
import type { Cluster } from '../src/cluster/cluster.ts';
import { kubernetesCluster } from '../src/cluster/kubernetes/cluster.ts';
import { CLUSTER_RULES, EVENT_RULES, FORCED_DRAIN_RULES, NAMESPACE_RULES } from '../src/cluster/kubernetes/rights.ts';
import { renderKubeconfig } from '../src/cluster/local/kubeconfig.ts';
import { FORMER, lastRunName, leaseName, savedModelName } from '../src/prototype/names.ts';
import { type ChartCluster, DONOR, NAMESPACE, SHARED, startChartCluster, until } from './labs/chart-cluster.ts';
import { POOL, type Rule, render, rulesOf } from './labs/chart-render.ts';

const folder = mkdtempSync(join(tmpdir(), 'headstart-chart-'));
const release = 'rights';
/** Without the pool: helm finds it in the node's provider id. */
const values = { kamino: { targetNode: DONOR } };
const NAMESAKE = { ...POOL, id: POOL.id.replace('MC_nodes', 'other') };
const forced = { ...values, kamino: { ...values.kamino, drain: { force: true } } };

let chart: ChartCluster;
let core: CoreV1Api;
let rbac: RbacAuthorizationV1Api;
/** Uses the chart's service account. */
let cluster: Cluster;

// The first run builds Kubernetes.
beforeAll(async () => {
  chart = await startChartCluster();
  core = chart.config.makeApiClient(CoreV1Api);
  rbac = chart.config.makeApiClient(RbacAuthorizationV1Api);
  await chart.install(release, values);
  const { status } = await core.createNamespacedServiceAccountToken({
    name: release,
    namespace: NAMESPACE,
    body: { spec: { audiences: [] } },
  });
  const kubeconfig = join(folder, 'kubeconfig');
  const { url, ca } = chart.plane;
  writeFileSync(kubeconfig, renderKubeconfig({ url, ca, token: status?.token ?? '', namespace: NAMESPACE }));
  cluster = await kubernetesCluster({
    kubeconfig,
    clock: systemClock,
    namespace: SHARED,
    helper: { image: 'headstart:test' },
  });
  await daemonPodOnDonor();
}, 60 * 60_000);

afterAll(async () => {
  await chart?.stop();
  rmSync(folder, { recursive: true });
});

describe('the rights of a run', () => {
  test('are those that the client lists; a run never deletes the saved model', () => {
    const flat = (rules: readonly Rule[]) =>
      new Set(
        rules.flatMap(({ apiGroups, resources, verbs }) =>
          apiGroups.flatMap((group) =>
            resources.flatMap((resource) => verbs.map((verb) => `${group}/${resource} ${verb}`)),
          ),
        ),
      );
    const needed = flat([...CLUSTER_RULES, ...FORCED_DRAIN_RULES, ...NAMESPACE_RULES, ...EVENT_RULES]);
    needed.delete('/secrets delete');
    expect([...flat(rulesOf(render(chart.tools, { ...forced, pool: POOL.id }, { release })))].sort()).toEqual(
      [...needed].sort(),
    );
  });

  test('are enough for everything a run does in the cluster', async () => {
    await useEverything(cluster);
  });

  test('are all needed: without any one, something fails', async () => {
    const unneeded: string[] = [];
    let tried = 0;
    for (const place of await placesOfRules()) {
      for (const { without, what, probe } of eachRemoved(place.rules)) {
        await place.write(without);
        await untilAllowed(place.namespace, probe, false);
        tried++;
        await useEverything(cluster).then(
          () => unneeded.push(what),
          () => undefined,
        );
        await place.write(place.rules);
        await untilAllowed(place.namespace, probe, true);
        await useEverything(cluster); // the failure came from the missing right, not from leftovers
      }
    }
    console.log(`rights removed one by one: ${tried}, each of them missed: ${tried - unneeded.length}`);
    expect(unneeded).toEqual([]);
    expect(tried).toBeGreaterThan(10);
  }, 600_000);

  test.each([
    ['change another node', 'patch', '', 'nodes', 'other-node', undefined],
    ['delete the donor', 'delete', '', 'nodes', DONOR, undefined],
    ['read another secret', 'get', '', 'secrets', 'another-secret', SHARED],
    ['read the saved model of a pool of the same name', 'get', '', 'secrets', savedModelName(NAMESAKE), SHARED],
    ['read secrets of its release', 'get', '', 'secrets', savedModelName(POOL), NAMESPACE],
    ['read secrets in another namespace', 'get', '', 'secrets', savedModelName(POOL), 'default'],
    ['read another pod', 'get', '', 'pods', 'etcd', SHARED],
    ['delete another pod', 'delete', '', 'pods', 'etcd', SHARED],
    ['list secrets', 'list', '', 'secrets', undefined, SHARED],
    ['take the lease of another pool', 'update', 'coordination.k8s.io', 'leases', leaseName(NAMESAKE), SHARED],
    ['take the lease of a controller', 'update', 'coordination.k8s.io', 'leases', 'kube-scheduler', SHARED],
    ["create pods in its release's namespace", 'create', '', 'pods', undefined, NAMESPACE],
    ['create pods in another namespace', 'create', '', 'pods', undefined, 'default'],
    ['give itself rights', 'create', 'rbac.authorization.k8s.io', 'rolebindings', undefined, SHARED],
  ])('do not let it %s', async (_, verb, group, resource, name, namespace) => {
    expect(await isAllowed({ verb, group, resource, ...(name && { name }), ...(namespace && { namespace }) })).toBe(
      false,
    );
  });

  test('of a run that chooses the donor name its helper pod and its pool, whose id helm finds by the name', async () => {
    await chart.install('chooses', { targetPool: POOL.name });
    const job = await chart.kubectl(['get', 'job', 'chooses', '--namespace', NAMESPACE, '--output', 'json']);
    const helper = /"headstart-run-[0-9a-f]{16}"/.exec(job)![0].slice(1, -1);
    const secret = { verb: 'get', group: '', resource: 'secrets', namespace: SHARED };
    const pod = { verb: 'get', group: '', resource: 'pods', namespace: SHARED };
    await until('its rights', () => isAllowed({ ...secret, name: savedModelName(POOL) }, 'chooses'));
    expect(await isAllowed({ ...secret, name: savedModelName(NAMESAKE) }, 'chooses')).toBe(false);
    expect(await isAllowed({ ...pod, name: helper }, 'chooses')).toBe(true);
    expect(await isAllowed({ ...pod, name: 'etcd' }, 'chooses')).toBe(false);
    const node = { verb: 'patch', group: '', resource: 'nodes', name: 'other-node' };
    expect(await isAllowed(node, 'chooses')).toBe(true);
    expect(await isAllowed({ ...node, verb: 'delete' }, 'chooses')).toBe(false);
    await chart.uninstall('chooses');
  });

  test('are refused to a node of another pool than the named one', async () => {
    await expect(chart.install('wrong', { ...values, pool: 'pool2' })).rejects.toThrow(
      `${DONOR} is an instance of ${POOL.name}, but pool is pool2`,
    );
  });

  test('allow it to delete other pods only when the drain is forced', async () => {
    await chart.install('forced', forced);
    const probe = { verb: 'delete', group: '', resource: 'pods', namespace: 'default' };
    await until('the right to delete', () => isAllowed(probe, 'forced'));
    expect(await isAllowed(probe)).toBe(false);
    await chart.uninstall('forced');
  });
});

interface Probe {
  verb: string;
  group: string;
  resource: string;
  subresource?: string;
  name?: string;
  namespace?: string;
}

async function isAllowed(resourceAttributes: Probe, account = release): Promise<boolean> {
  const user = `system:serviceaccount:${NAMESPACE}:${account}`;
  const groups = ['system:serviceaccounts', `system:serviceaccounts:${NAMESPACE}`, 'system:authenticated'];
  const review = await chart.config
    .makeApiClient(AuthorizationV1Api)
    .createSubjectAccessReview({ body: { spec: { user, groups, resourceAttributes } } });
  return review.status?.allowed === true;
}

/** The server applies a changed role with a short delay. */
async function untilAllowed(namespace: string | undefined, probe: Probe, wanted: boolean): Promise<void> {
  await until(`${probe.verb} ${probe.resource} ${wanted}`, async () =>
    (await isAllowed({ ...probe, ...(namespace && { namespace }) })) === wanted ? true : undefined,
  );
}

async function placesOfRules() {
  const clusterName = `${NAMESPACE}:${release}`;
  const roles = [
    { name: clusterName, namespace: SHARED },
    { name: `${clusterName}:events`, namespace: 'default' },
  ];
  const clusterRole = await rbac.readClusterRole({ name: clusterName });
  return [
    {
      namespace: undefined,
      rules: clusterRole.rules ?? [],
      write: async (rules: V1PolicyRule[]) => {
        const body = await rbac.readClusterRole({ name: clusterName });
        await rbac.replaceClusterRole({ name: clusterName, body: { ...body, rules } });
      },
    },
    ...(await Promise.all(
      roles.map(async (where) => ({
        namespace: where.namespace,
        rules: (await rbac.readNamespacedRole(where)).rules ?? [],
        write: async (rules: V1PolicyRule[]) => {
          const body = await rbac.readNamespacedRole(where);
          await rbac.replaceNamespacedRole({ ...where, body: { ...body, rules } });
        },
      })),
    )),
  ];
}

/** The rules without one verb of one rule. */
function* eachRemoved(rules: readonly V1PolicyRule[]) {
  for (const [index, rule] of rules.entries()) {
    for (const verb of rule.verbs) {
      const verbs = rule.verbs.filter((one) => one !== verb);
      const [resource = '', subresource] = (rule.resources?.[0] ?? '').split('/');
      yield {
        without: rules
          .map((one, at) => (at === index ? { ...rule, verbs } : one))
          .filter(({ verbs: kept }) => kept.length > 0),
        what: `${verb} ${rule.resources?.[0]}`,
        probe: {
          verb,
          group: rule.apiGroups?.[0] ?? '',
          resource,
          ...(subresource && { subresource }),
          ...(rule.resourceNames?.[0] && { name: rule.resourceNames[0] }),
        },
      };
    }
  }
}

/** Bound directly, because no scheduler runs here. */
async function daemonPodOnDonor(): Promise<void> {
  const labels = { app: 'daemon' };
  const spec = { containers: [{ name: 'a', image: 'a' }] };
  const daemonSet = await chart.config.makeApiClient(AppsV1Api).createNamespacedDaemonSet({
    namespace: NAMESPACE,
    body: {
      metadata: { name: 'daemon' },
      spec: {
        selector: { matchLabels: labels },
        updateStrategy: { type: 'OnDelete' },
        template: { metadata: { labels }, spec },
      },
    },
  });
  const owner = { apiVersion: 'apps/v1', kind: 'DaemonSet', name: 'daemon', uid: daemonSet.metadata?.uid ?? '' };
  const metadata = { name: 'daemon', labels, ownerReferences: [{ ...owner, controller: true }] };
  await core.createNamespacedPod({ namespace: NAMESPACE, body: { metadata, spec: { ...spec, nodeName: DONOR } } });
}

/** Uses every right of a run, in a cluster that has objects for each. */
async function useEverything(asRun: Cluster): Promise<void> {
  const uid = await ensureBarePod('evicted');
  const node = await asRun.readNode(DONOR);
  expect((await asRun.listNodes()).length).toBe(2);
  await asRun.changeNode(node!, { annotations: { 'headstart.dev/test': String(Date.now()) } });
  const pods = await asRun.listPods(DONOR);
  expect(pods.some(({ ownerKind, ownerExists }) => ownerKind === 'DaemonSet' && ownerExists)).toBe(true);
  expect(await asRun.evict(pods.find((pod) => pod.uid === uid)!, 0)).toEqual({ outcome: 'evicted' });

  const hold = { holder: 'run', durationMs: 60_000, note: 'test' };
  await asRun.holdLease(leaseName(POOL), hold);
  await asRun.holdLease(leaseName(POOL), hold);
  await asRun.releaseLease(leaseName(POOL), 'run');
  await until('the lease gone', async () => (await asRun.readLease(leaseName(POOL))) === undefined);

  for (const name of [savedModelName(POOL), lastRunName(POOL)]) {
    await core.deleteNamespacedSecret({ name, namespace: SHARED }).catch(() => undefined);
    for (const recipe of ['one', 'two']) await asRun.writeSecret(name, { recipe });
    expect(await asRun.readSecret(name)).toEqual({ recipe: 'two' });
  }
  expect(await asRun.readLease(FORMER.leaseName(POOL))).toBeUndefined();
  expect(await asRun.readSecret(FORMER.savedModelName(POOL))).toBeUndefined();

  chart.kubelets.dials.runScript = () => ({ exitCode: 0, stdout: 'sealed', stderr: '' });
  expect((await asRun.runOnNode(DONOR, 'true', { deadlineMs: 20_000 })).stdout).toBe('sealed');
  const helpers = await core.listNamespacedPod({ namespace: SHARED, labelSelector: 'headstart.dev/helper' });
  expect(helpers.items).toEqual([]);

  const reason = `Test${Date.now()}`;
  await asRun.recordEvent(node!, reason, 'message');
  expect(
    (await core.listNamespacedEvent({ namespace: 'default', fieldSelector: `reason=${reason}` })).items,
  ).toHaveLength(1);
}

async function ensureBarePod(name: string): Promise<string> {
  const existing = await core.readNamespacedPod({ name, namespace: 'default' }).catch(() => undefined);
  if (existing && !existing.metadata?.deletionTimestamp) return existing.metadata?.uid ?? '';
  const spec = { nodeName: DONOR, automountServiceAccountToken: false, containers: [{ name: 'a', image: 'a' }] };
  const pod = await until('room for a pod', () =>
    core.createNamespacedPod({ namespace: 'default', body: { metadata: { name }, spec } }),
  );
  return pod.metadata?.uid ?? '';
}
