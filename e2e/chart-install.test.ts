// e2e/chart-install.test.ts: does a real API server accept the packaged chart, does its Job work, and does an upgrade keep a running one?
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BatchV1Api, CoreV1Api } from '@kubernetes/client-node';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { buildChart, writeChart } from '../src/container/chart/build.ts';
import { type ChartCluster, DONOR, NAMESPACE, startChartCluster, until } from './labs/chart-cluster.ts';
import { type Json, POOL, render } from './labs/chart-render.ts';

const folder = mkdtempSync(join(tmpdir(), 'headstart-chart-'));
const packaged = buildChart(`sha256:${'d'.repeat(64)}`);
const BEFORE = join(import.meta.dirname, 'fixtures/chart-before.tgz');

let chart: ChartCluster;
let core: CoreV1Api;
let batch: BatchV1Api;

// The first run builds Kubernetes.
beforeAll(async () => {
  writeChart(packaged, folder);
  chart = await startChartCluster(join(folder, packaged.fileName));
  core = chart.config.makeApiClient(CoreV1Api);
  batch = chart.config.makeApiClient(BatchV1Api);
}, 60 * 60_000);

afterAll(async () => {
  await chart?.stop();
  rmSync(folder, { recursive: true });
});

const podsOf = async (job: string) =>
  (await core.listNamespacedPod({ namespace: NAMESPACE, labelSelector: `batch.kubernetes.io/job-name=${job}` })).items;

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
  (await batch.readNamespacedJob({ name: job, namespace: NAMESPACE })).status?.conditions?.find((c) => c.type === type);

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
        extraVolumes: [{ name: 'ca', configMap: { name: 'ca' } }],
        extraVolumeMounts: [{ name: 'ca', mountPath: '/ca', readOnly: true }],
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

describe('an upgrade from the chart before', () => {
  const values = { kamino: { targetNode: DONOR } };
  const jobs = async (release: string) =>
    (
      await batch.listNamespacedJob({ namespace: NAMESPACE, labelSelector: `app.kubernetes.io/instance=${release}` })
    ).items.map(({ metadata }) => metadata?.name);
  const rightsOf = async (release: string) =>
    await chart.kubectl(['get', 'clusterrole', `${NAMESPACE}:${release}`, '--output', 'jsonpath={.rules}']);

  /** As the scheduler does; the simulated kubelet starts the pod. */
  async function run(job: string) {
    const name = (await podOf(job)).metadata?.name ?? '';
    const target = { kind: 'Node', name: 'other-node' };
    await core.createNamespacedPodBinding({ name, namespace: NAMESPACE, body: { metadata: { name }, target } });
    await until('a running Job', async () => {
      const { status } = await batch.readNamespacedJob({ name: job, namespace: NAMESPACE });
      return (status?.ready ?? 0) > 0;
    });
    return core.readNamespacedPod({ name, namespace: NAMESPACE });
  }

  test('keeps a running Job and its pod, and the next upgrade after its end runs again', async () => {
    await chart.install('kept', values, BEFORE);
    const pod = await run('kept');
    for (const _ of ['the first upgrade', 'the second']) {
      expect(await chart.upgrade('kept', values)).toContain('Job kept still runs and was kept as it is');
      expect(await jobs('kept')).toEqual(['kept']);
      expect((await podsOf('kept')).map(({ metadata }) => metadata?.uid)).toEqual([pod.metadata?.uid]);
    }
    await end(pod.metadata?.name ?? '', 0);
    await until('success', () => conditionOf('kept', 'Complete'));
    expect(await chart.upgrade('kept', values)).not.toContain('was kept');
    await until('the end of the kept job', async () => (await jobs('kept')).join() === 'kept-r4');
  });

  test('that needs other rights is refused while the Job runs, and changes nothing', async () => {
    await chart.install('busy', values, BEFORE);
    const pod = await run('busy');
    const rights = await rightsOf('busy');
    expect(rights).toContain(DONOR);
    const other = chart.upgrade('busy', { kamino: { targetNode: 'other-node' } });
    await expect(other).rejects.toThrow(
      `job busy still runs: run --node=${DONOR} --namespace=kube-system as busy. These values ask for: run --node=other-node`,
    );
    expect(await rightsOf('busy')).toBe(rights);
    expect((await podsOf('busy')).map(({ metadata }) => metadata?.uid)).toEqual([pod.metadata?.uid]);
    await chart.uninstall('busy');
  });

  test('to a schedule keeps a running Job, too', async () => {
    await chart.install('later', values, BEFORE);
    const pod = await run('later');
    const scheduled = { ...values, schedule: '42 0 * * *' };
    expect(await chart.upgrade('later', scheduled)).toContain('Job later still runs and was kept as it is.');
    expect((await podsOf('later')).map(({ metadata }) => metadata?.uid)).toEqual([pod.metadata?.uid]);
    await chart.uninstall('later');
  });

  test('replaces a Job whose pod could not start', async () => {
    await chart.install('stuck', values, BEFORE);
    await podOf('stuck');
    expect(await chart.upgrade('stuck', { ...values, image: { tag: 'repaired' } })).not.toContain('was kept');
    await until('the end of the first job', async () => (await jobs('stuck')).join() === 'stuck-r2');
  });

  test('keeps the running Job of a schedule', async () => {
    const scheduled = { ...values, schedule: '42 0 * * *' };
    await chart.install('nightly', scheduled, BEFORE);
    await chart.kubectl(['create', 'job', 'nightly-now', '--from=cronjob/nightly', '--namespace', NAMESPACE]);
    const pod = await run('nightly-now');
    await chart.upgrade('nightly', { ...scheduled, kamino: { ...values.kamino, imageHistory: 5 } });
    expect((await podsOf('nightly-now')).map(({ metadata }) => metadata?.uid)).toEqual([pod.metadata?.uid]);
  });
});
