// e2e/chart-install.test.ts: does a real API server accept the chart, and does its Job work?
import { BatchV1Api, CoreV1Api } from '@kubernetes/client-node';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type ChartCluster, DONOR, NAMESPACE, startChartCluster, until } from './labs/chart-cluster.ts';
import { type Json, POOL, render } from './labs/chart-render.ts';

let chart: ChartCluster;
let core: CoreV1Api;
let batch: BatchV1Api;

// The first run builds Kubernetes.
beforeAll(async () => {
  chart = await startChartCluster();
  core = chart.config.makeApiClient(CoreV1Api);
  batch = chart.config.makeApiClient(BatchV1Api);
}, 60 * 60_000);

afterAll(() => chart?.stop());

const podsOf = async (job: string) =>
  (await core.listNamespacedPod({ namespace: NAMESPACE, labelSelector: `batch.kubernetes.io/job-name=${job}` })).items;

describe('a real API server', () => {
  test.each<[string, Json]>([
    ['a status run', {}],
    ['a run', { kamino: { targetNode: DONOR } }],
    [
      'a forced run on the control plane',
      { kamino: { targetNode: DONOR, scheduleOnControlPlane: true, drain: { force: true } } },
    ],
    ['a schedule', { kamino: { targetNode: DONOR }, schedule: '42 0 * * *', pool: 'k8s-pool1' }],
    ['a macro as schedule', { schedule: '@daily' }],
    ['a schedule that chooses the donor', { targetPool: POOL.id, schedule: '@daily' }],
    [
      'everything at once',
      {
        kamino: { targetNode: DONOR, imageHistory: 7, logLevel: 'VERBOSE' },
        image: { digest: `sha256:${'a'.repeat(64)}`, pullSecrets: ['registry'] },
        workloadIdentity: { clientId: 'client', tenantId: 'tenant' },
        serviceAccount: { annotations: { note: 'x' } },
        hostNetwork: true,
        extraArgs: ['--gallery=a b', '--yes'],
        extraEnv: [{ name: 'A', value: 'b' }],
        nodeSelector: { 'kubernetes.io/arch': 'amd64' },
        tolerations: [{ key: 'dedicated', operator: 'Exists', effect: 'NoSchedule' }],
      },
    ],
  ])('accepts every field of %s', async (_, values) => {
    const manifests = render(chart.tools, values, { namespace: NAMESPACE });
    const list = JSON.stringify({ apiVersion: 'v1', kind: 'List', items: manifests });
    const said = await chart.kubectl(['create', '--dry-run=server', '--validate=strict', '-f', '-'], list);
    expect(said.trim().split('\n')).toHaveLength(manifests.length);
  });
});

describe('an installed release', () => {
  const name = 'update-vmss-model-image-from-instance-0';
  const values = { kamino: { targetNode: DONOR } };
  const podOf = (job: string) => until(`a pod of ${job}`, async () => (await podsOf(job)).at(-1));

  /** Reports the end of the program as a kubelet does. */
  async function end(pod: string, exitCode: number): Promise<void> {
    const status = {
      phase: exitCode === 0 ? 'Succeeded' : 'Failed',
      containerStatuses: [
        {
          name: 'headstart',
          image: 'x',
          imageID: 'x',
          ready: false,
          restartCount: 0,
          state: { terminated: { exitCode } },
        },
      ],
    };
    const patch = JSON.stringify({ status });
    const where = ['--namespace', NAMESPACE, '--subresource=status', '--type=merge'];
    await chart.kubectl(['patch', 'pod', pod, ...where, '--patch', patch]);
  }

  const conditionOf = async (job: string, type: string) =>
    (await batch.readNamespacedJob({ name: job, namespace: NAMESPACE })).status?.conditions?.find(
      (c) => c.type === type,
    );

  test('starts one pod, replaces it when it stops part-way, and fails when the run fails', async () => {
    expect(await chart.install(name, values)).toContain(`${DONOR} is the donor`);
    const first = await podOf(name);
    expect(first.spec?.containers[0]?.args).toContain(`--node=${DONOR}`);
    await end(first.metadata?.name ?? '', 4);
    const second = await until('the replacement', async () =>
      (await podsOf(name)).find((pod) => pod.metadata?.uid !== first.metadata?.uid),
    );
    await end(second.metadata?.name ?? '', 1);
    const failed = await until('the end of the job', () => conditionOf(name, 'Failed'));
    expect(failed.reason).toBe('PodFailurePolicy');
    expect(await podsOf(name)).toHaveLength(2);
  });

  test('runs again as another Job after an upgrade', async () => {
    await chart.upgrade(name, values);
    const pod = await podOf(`${name}-r2`);
    await until('the end of the first job', async () =>
      batch.readNamespacedJob({ name, namespace: NAMESPACE }).then(
        () => false,
        () => true,
      ),
    );
    await end(pod.metadata?.name ?? '', 0);
    await until('success', () => conditionOf(`${name}-r2`, 'Complete'));
  });

  test('says what to set if nothing tells which scale set the donor belongs to', async () => {
    const said = await chart.install('unknown', { kamino: { targetNode: 'other-node' } });
    expect(said).toContain('Set pool to the id');
    expect(await chart.upgrade('unknown', { targetPool: 'pool9' })).toContain('Set targetPool to the id');
    expect(await chart.upgrade('unknown', { targetPool: POOL.name })).not.toContain('to the id');
    await chart.uninstall('unknown');
  });

  test('leaves nothing behind when it is uninstalled', async () => {
    await chart.uninstall(name);
    const kinds = 'jobs,cronjobs,roles,rolebindings,clusterroles,clusterrolebindings,serviceaccounts';
    const selector = `app.kubernetes.io/instance=${name}`;
    const left = await chart.kubectl(['get', kinds, '--all-namespaces', '--selector', selector, '--output', 'name']);
    expect(left).toBe('');
  });
});
