// e2e/chart.test.ts: does every documented value of the chart work, and change nothing else?
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Command } from 'commander';
import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { VERBS } from '../src/cli/main.ts';
import { helperName } from '../src/cluster/kubernetes/helper-pod.ts';
import { FORMER, lastRunName, leaseName, savedModelName } from '../src/prototype/names.ts';
import {
  argsOf,
  CHART,
  changesBetween,
  type Json,
  type Manifest,
  POOL,
  podOf,
  type Rendering,
  render,
  rulesOf,
  termsOf,
} from './labs/chart-render.ts';
import { ensureHelm, type HelmTools } from './programs/ensure-helm.ts';

const DONOR = 'k8s-pool1-12345678-vmss000000';
const RUN = { kamino: { targetNode: DONOR }, pool: POOL.id };
const CHOOSE = { targetPool: POOL.id };

let tools: HelmTools;
beforeAll(async () => {
  tools = await ensureHelm();
});

const rendered = (values: Json = {}, options: Rendering = {}) => render(tools, values, options);
const changed = (values: Json, base: Json = RUN) => changesBetween(rendered(base), rendered(values));

describe('the documented values', () => {
  const values = parse(readFileSync(join(CHART, 'values.yaml'), 'utf8'));

  test('have the documented names and defaults', () => {
    expect(values.kamino).toEqual({
      targetNode: '',
      scheduleOnControlPlane: false,
      imageHistory: 3,
      drain: { gracePeriod: 300, force: false },
      logLevel: 'INFO',
    });
  });

  test('targetNode is the donor of a run', () => {
    expect(argsOf(rendered(RUN))).toEqual([
      'prototype',
      'run',
      `--node=${DONOR}`,
      '--image-history=3',
      '--drain-grace-period=300',
      '--log-level=INFO',
      '--namespace=kube-system',
    ]);
  });

  test('no targetNode means a status run with read-only rights', () => {
    const manifests = rendered();
    expect(argsOf(manifests)).toEqual(['prototype', 'status']);
    expect([...new Set(rulesOf(manifests).flatMap((rule) => rule.verbs))].sort()).toEqual(['get', 'list']);
    expect(rulesOf(manifests).flatMap((rule) => rule.resources)).not.toContain('secrets');
  });

  test('the documented example gives a job of the documented name', () => {
    const options = { release: 'update-vmss-model-image-from-instance-0', namespace: 'default' };
    const manifests = rendered({ kamino: { scheduleOnControlPlane: true, targetNode: DONOR } }, options);
    expect(manifests.find(({ kind }) => kind === 'Job')?.metadata).toMatchObject({
      name: 'update-vmss-model-image-from-instance-0',
      namespace: 'default',
    });
  });

  test('scheduleOnControlPlane requires a control-plane node and tolerates its taints', () => {
    const changes = changed({ ...RUN, kamino: { ...RUN.kamino, scheduleOnControlPlane: true } });
    for (const path of Object.keys(changes)) {
      expect(path).toMatch(/^Job example\/spec\/template\/spec\/(tolerations|affinity)\//);
    }
    const pod = podOf(rendered({ kamino: { scheduleOnControlPlane: true } }));
    expect(pod.tolerations).toEqual(
      ['control-plane', 'master'].map((role) => ({ key: `node-role.kubernetes.io/${role}`, operator: 'Exists' })),
    );
    expect(termsOf(pod).map((term) => term.matchExpressions)).toEqual(
      ['control-plane', 'master'].map((role) => [{ key: `node-role.kubernetes.io/${role}`, operator: 'Exists' }]),
    );
  });

  const arg = (position: number) => `Job example/spec/template/spec/containers/0/args/${position}`;

  test('imageHistory changes one argument', () => {
    expect(changed({ ...RUN, kamino: { ...RUN.kamino, imageHistory: 5 } })).toEqual({
      [arg(3)]: { from: '--image-history=3', to: '--image-history=5' },
    });
  });

  test.each([5, 0, -1, 86400])('drain.gracePeriod %d changes one argument', (gracePeriod) => {
    expect(changed({ ...RUN, kamino: { ...RUN.kamino, drain: { gracePeriod } } })).toEqual({
      [arg(4)]: { from: '--drain-grace-period=300', to: `--drain-grace-period=${gracePeriod}` },
    });
  });

  test('drain.force adds one argument and the right to delete pods', () => {
    const values = { ...RUN, kamino: { ...RUN.kamino, drain: { force: true } } };
    expect(argsOf(rendered(values))).toContain('--drain-force');
    const clusterWide = (manifests: Manifest[]) => rulesOf(manifests.filter(({ kind }) => kind === 'ClusterRole'));
    expect(clusterWide(rendered(values))).toEqual([
      ...clusterWide(rendered(RUN)),
      { apiGroups: [''], resources: ['pods'], verbs: ['delete'] },
    ]);
  });

  test.each([
    ['DEBUG', 'DEBUG'],
    ['VERBOSE', 'DEBUG'],
    ['WARNING', 'WARNING'],
    ['ERROR', 'ERROR'],
    ['CRITICAL', 'CRITICAL'],
  ])('logLevel %s changes one argument', (logLevel, passed) => {
    expect(changed({ ...RUN, kamino: { ...RUN.kamino, logLevel } })).toEqual({
      [arg(5)]: { from: '--log-level=INFO', to: `--log-level=${passed}` },
    });
  });
});

describe('the other values', () => {
  const pod = 'Job example/spec/template/spec';
  const more = (values: { [key: string]: Json }): Json => ({ ...RUN, ...values });

  const named = (manifests: Manifest[]) =>
    rulesOf(manifests)
      .filter(({ resourceNames }) => resourceNames)
      .map(({ resources, resourceNames, verbs }) => `${verbs} ${resources} ${resourceNames}`);
  const ofPool = (pool: typeof POOL) => [
    `get,update,delete leases ${leaseName(pool)}`,
    `get,update secrets ${savedModelName(pool)},${lastRunName(pool)}`,
    `get leases ${FORMER.leaseName(pool)}`,
    `get secrets ${FORMER.savedModelName(pool)}`,
  ];

  test.each([POOL.name, 'K8s_Pool.1', 'p'.repeat(64), '_a'])(
    "pool limits the rights to the names of that pool's Lease, saved model and last run: %s",
    (name) => {
      const pool = { id: POOL.id.replace(POOL.name, name), name };
      const helper = helperName(DONOR);
      const expected = [`patch nodes ${DONOR}`, ...ofPool(pool), `get,delete pods ${helper}`, `get pods/log ${helper}`];
      for (const id of [pool.id, pool.id.toLowerCase()]) expect(named(rendered(more({ pool: id })))).toEqual(expected);
      expect(argsOf(rendered({ pool: name }))).toContain(`--pool=${name}`);
    },
  );

  test.each<[string, Json]>([
    ['no pool', { kamino: RUN.kamino }],
    ["a pool's name alone, without a cluster to find its id in", { kamino: RUN.kamino, pool: POOL.name }],
    ['a pool to choose from by its name alone', { targetPool: POOL.name }],
  ])('%s gives no right to any existing Lease or Secret', (_, values) => {
    const rules = rulesOf(rendered(values)).filter(({ resources }) => /leases|secrets/.test(resources.join()));
    expect(rules.map(({ verbs }) => verbs)).toEqual([['create'], ['create']]);
  });

  test('targetPool lets the run choose the donor, and its rights name the helper pod all the same', () => {
    const manifests = rendered(CHOOSE, { release: 'nightly' });
    expect(argsOf(manifests).slice(0, 3)).toEqual(['prototype', 'run', `--pool=${POOL.id}`]);
    const helper = podOf(manifests).containers[0]?.env?.find(({ name }) => name === 'HEADSTART_HELPER_NAME')?.value;
    expect(helper).toMatch(/^headstart-run-[0-9a-f]{16}$/);
    expect(named(manifests)).toEqual([...ofPool(POOL), `get,delete pods ${helper}`, `get pods/log ${helper}`]);
    const other = rendered(CHOOSE, { release: 'nightly', namespace: 'other' });
    expect(JSON.stringify(other)).not.toContain(helper);
  });

  test('a schedule may choose the donor, and its pod knows which node it is on', () => {
    const manifests = rendered({ ...CHOOSE, schedule: '0 3 * * *' });
    expect(manifests.some(({ kind }) => kind === 'CronJob')).toBe(true);
    for (const values of [{ ...CHOOSE, schedule: '0 3 * * *' }, RUN]) {
      expect(podOf(rendered(values)).containers[0]?.env).toContainEqual({
        name: 'NODE_NAME',
        valueFrom: { fieldRef: { fieldPath: 'spec.nodeName' } },
      });
    }
    expect(podOf(rendered(RUN)).containers[0]?.env?.map(({ name }) => name)).not.toContain('HEADSTART_HELPER_NAME');
  });

  test('targetPool and kamino.targetNode exclude each other', () => {
    expect(() => rendered({ ...CHOOSE, kamino: RUN.kamino })).toThrow('exclude each other');
  });

  test('image.repository is required, and the message says where an image comes from', () => {
    for (const values of [RUN, {}]) {
      expect(() => rendered(values, { isBare: true })).toThrow(/image\.repository is required.*make image.*--set/);
    }
  });

  test('sharedNamespace is where the account of every release can use leases, secrets and pods', () => {
    expect(changed(more({ sharedNamespace: 'shared' }))).toEqual({
      [`${pod}/containers/0/args/6`]: { from: '--namespace=kube-system', to: '--namespace=shared' },
      'Role nodes:example/metadata/namespace': { from: 'kube-system', to: 'shared' },
      'RoleBinding nodes:example/metadata/namespace': { from: 'kube-system', to: 'shared' },
    });
    const bindings = rendered(RUN).filter(({ kind }) => kind === 'RoleBinding');
    expect(bindings.map(({ metadata }) => metadata.namespace).sort()).toEqual(['default', 'kube-system']);
    for (const { subjects } of bindings) {
      expect(subjects).toEqual([{ kind: 'ServiceAccount', name: 'example', namespace: 'nodes' }]);
    }
  });

  test('schedule makes a CronJob of the same Job, never two at once', () => {
    const manifests = rendered(more({ schedule: '42 0 * * *' }));
    const cronJob = manifests.find(({ kind }) => kind === 'CronJob') as unknown as {
      spec: { schedule: string; concurrencyPolicy: string; jobTemplate: { spec: object } };
    };
    const job = rendered(RUN).find(({ kind }) => kind === 'Job');
    expect(manifests.some(({ kind }) => kind === 'Job')).toBe(false);
    expect(cronJob.spec).toMatchObject({ schedule: '42 0 * * *', concurrencyPolicy: 'Forbid' });
    expect(cronJob.spec.jobTemplate.spec).toEqual(job?.spec);
  });

  test.each([
    [{ tag: 'v9' }, 'headstart:v9'],
    [{ repository: 'example.org/a/b' }, 'example.org/a/b:0.1.0'],
    [{ tag: 'v9', digest: `sha256:${'0'.repeat(64)}` }, `headstart@sha256:${'0'.repeat(64)}`],
  ])('image %o is the image of every container and of the sealing pod', (image, expected) => {
    expect(changed(more({ image }))).toEqual({
      [`${pod}/containers/0/env/0/value`]: { from: 'headstart:0.1.0', to: expected },
      [`${pod}/containers/0/image`]: { from: 'headstart:0.1.0', to: expected },
      [`${pod}/initContainers/0/image`]: { from: 'headstart:0.1.0', to: expected },
    });
  });

  test('image.pullPolicy and image.pullSecrets', () => {
    expect(changed(more({ image: { pullPolicy: 'Always', pullSecrets: ['registry'] } }))).toEqual({
      [`${pod}/containers/0/imagePullPolicy`]: { from: 'IfNotPresent', to: 'Always' },
      [`${pod}/initContainers/0/imagePullPolicy`]: { from: 'IfNotPresent', to: 'Always' },
      [`${pod}/imagePullSecrets/0/name`]: { to: 'registry' },
      [`${pod}/containers/0/env/2/name`]: { to: 'HEADSTART_HELPER_PULL_SECRETS' },
      [`${pod}/containers/0/env/2/value`]: { to: 'registry' },
    });
    const two = podOf(rendered(more({ image: { pullSecrets: ['a', 'b'] } }))).containers[0]?.env;
    expect(two).toContainEqual({ name: 'HEADSTART_HELPER_PULL_SECRETS', value: 'a,b' });
  });

  test('azureJson.hostPath is the only mounted file of the machine', () => {
    expect(changed(more({ azureJson: { hostPath: '/etc/other.json' } }))).toEqual({
      [`${pod}/volumes/0/hostPath/path`]: { from: '/etc/kubernetes/azure.json', to: '/etc/other.json' },
    });
    expect(JSON.stringify(rendered(more({ azureJson: { mount: false } })))).not.toMatch(/hostPath|azure-json/);
  });

  test('workloadIdentity annotates the account and labels the pod', () => {
    expect(changed(more({ workloadIdentity: { clientId: 'c', tenantId: 't' } }))).toEqual({
      'Job example/spec/template/metadata/labels/azure.workload.identity/use': { to: 'true' },
      'ServiceAccount example/metadata/annotations/azure.workload.identity/client-id': { to: 'c' },
      'ServiceAccount example/metadata/annotations/azure.workload.identity/tenant-id': { to: 't' },
    });
  });

  test('serviceAccount can have another name, annotations, or exist already', () => {
    expect(Object.keys(changed(more({ serviceAccount: { annotations: { a: 'b' } } })))).toEqual([
      'ServiceAccount example/metadata/annotations/a',
    ]);
    const existing = rendered(more({ serviceAccount: { create: false, name: 'mine' } }));
    expect(existing.some(({ kind }) => kind === 'ServiceAccount')).toBe(false);
    expect(podOf(existing).serviceAccountName).toBe('mine');
    const subjects = existing.flatMap((manifest) => (manifest.subjects as { name: string }[] | undefined) ?? []);
    expect(subjects.length).toBeGreaterThan(0);
    for (const subject of subjects) expect(subject.name).toBe('mine');
  });

  test.each<[string, Json, Record<string, unknown>]>([
    ['hostNetwork', { hostNetwork: true }, { hostNetwork: true, dnsPolicy: 'ClusterFirstWithHostNet' }],
    ['extraArgs', { extraArgs: ['--gallery=a b'] }, { 'containers/0/args/7': '--gallery=a b' }],
    [
      'extraEnv',
      { extraEnv: [{ name: 'A', value: 'b' }] },
      { 'containers/0/env/2/name': 'A', 'containers/0/env/2/value': 'b' },
    ],
    ['extraVolumes', { extraVolumes: [{ name: 'ca', configMap: {} }] }, { 'volumes/2/name': 'ca' }],
    [
      'extraVolumeMounts',
      { extraVolumeMounts: [{ name: 'ca', mountPath: '/ca' }] },
      { 'containers/0/volumeMounts/1/name': 'ca', 'containers/0/volumeMounts/1/mountPath': '/ca' },
    ],
    ['nodeSelector', { nodeSelector: { zone: '1' } }, { 'nodeSelector/zone': '1' }],
    ['tolerations', { tolerations: [{ operator: 'Exists' }] }, { 'tolerations/0/operator': 'Exists' }],
  ])('%s reaches the pod', (_, values, expected) => {
    const changes = changed(more(values as { [key: string]: Json }));
    expect(
      Object.fromEntries(Object.entries(changes).map(([path, { to }]) => [path.replace(`${pod}/`, ''), to])),
    ).toEqual(expected);
  });

  test('resources are those of both containers', () => {
    expect(changed(more({ resources: { limits: { memory: '1Gi' } } }))).toEqual({
      [`${pod}/containers/0/resources/limits/memory`]: { from: '512Mi', to: '1Gi' },
      [`${pod}/initContainers/0/resources/limits/memory`]: { from: '512Mi', to: '1Gi' },
    });
  });

  test('job sets deadlines and retries', () => {
    const job = { backoffLimit: 0, activeDeadlineSeconds: 7200, ttlSecondsAfterFinished: 5 };
    expect(changed(more({ job: { ...job, terminationGracePeriodSeconds: 60 } }))).toEqual({
      'Job example/spec/activeDeadlineSeconds': { from: 32400, to: 7200 },
      'Job example/spec/backoffLimit': { from: 3, to: 0 },
      'Job example/spec/ttlSecondsAfterFinished': { from: 3600, to: 5 },
      [`${pod}/terminationGracePeriodSeconds`]: { from: 900, to: 60 },
    });
  });
});

describe('the arguments of the pod', () => {
  test.each<[string, Json]>([
    ['a run', RUN],
    ['a forced run', { kamino: { targetNode: DONOR, drain: { force: true, gracePeriod: -1 }, logLevel: 'VERBOSE' } }],
    ['a run that chooses the donor', CHOOSE],
    ['a status run', {}],
    ['a status run of one pool', { pool: 'pool1' }],
  ])('of %s are options that the program has', async (_, values) => {
    const [group, verb, ...options] = argsOf(rendered(values));
    const { verb: loaded } = await VERBS[`${group} ${verb}`]!.load();
    const command = new Command().exitOverride().configureOutput({ writeErr: () => undefined });
    loaded.configure(command);
    expect(() => command.parse(options, { from: 'user' })).not.toThrow();
  });
});

describe('invalid values', () => {
  test.each<[string, Json]>([
    ['kamino.targetnode', { kamino: { targetnode: 'a' } }],
    ['kamino.targetNode', { kamino: { targetNode: 'not a node' } }],
    ['kamino.imageHistory', { kamino: { imageHistory: 0 } }],
    ['kamino.imageHistory', { kamino: { imageHistory: '3' } }],
    ['kamino.drain.gracePeriod', { kamino: { drain: { gracePeriod: -2 } } }],
    ['kamino.drain.force', { kamino: { drain: { force: 'yes' } } }],
    ['kamino.logLevel', { kamino: { logLevel: 'debug' } }],
    ['image.digest', { image: { digest: 'latest' } }],
    ['pool', { pool: 'a b' }],
    ['pool', { pool: '/subscriptions/x/resourceGroups/y' }],
    ['targetPool', { targetPool: 'p'.repeat(65) }],
    ['azureJson.hostPath', { azureJson: { hostPath: 'azure.json' } }],
    ['sharedNamespace', { sharedNamespace: '' }],
    ['extraVolumes', { extraVolumes: [{ configMap: {} }] }],
    ['extraVolumeMounts', { extraVolumeMounts: [{ name: 'ca', mountPath: 'ca' }] }],
    ['schedule', { schedule: 'daily' }],
    ['job.backoffLimit', { job: { backoffLimit: -1 } }],
    ['extraArg', { extraArg: [] }],
  ])('%s is refused by its name', (path, values) => {
    expect(() => rendered(values)).toThrow(path.split('.').at(-1));
  });
});

describe('any values', () => {
  const name = fc.stringMatching(/^[a-z][a-z0-9-]{0,20}[a-z0-9]$/);
  const values = fc.record(
    {
      kamino: fc.record(
        {
          targetNode: fc.oneof(fc.constant(''), name),
          scheduleOnControlPlane: fc.boolean(),
          drain: fc.record({ force: fc.boolean(), gracePeriod: fc.integer({ min: -1, max: 3600 }) }),
        },
        { requiredKeys: [] },
      ),
      pool: fc.oneof(fc.constant(POOL.id), fc.stringMatching(/^[A-Za-z0-9_]{1,20}$/)),
      targetPool: fc.constantFrom('', POOL.id, 'pool1'),
      schedule: fc.constantFrom('', '@daily', '0 3 * * 1'),
      azureJson: fc.record({ mount: fc.boolean(), hostPath: fc.constant('/etc/kubernetes/azure.json') }),
      hostNetwork: fc.boolean(),
      extraArgs: fc.array(fc.string({ unit: 'grapheme' }), { maxLength: 3 }),
      nodeSelector: fc.dictionary(name, fc.string(), { maxKeys: 2 }),
    },
    { requiredKeys: [] },
  );

  test('never make a container privileged, run the program as root, grant a right on what is not its own, or schedule it on the donor', () => {
    fc.assert(
      fc.property(values, fc.stringMatching(/^[a-z0-9][a-z0-9-]{0,50}[a-z0-9]$/), (given, release) => {
        if (given.kamino?.targetNode && given.targetPool) given.targetPool = '';
        const manifests = rendered(given as Json, { release });
        const pod = podOf(manifests);
        expect(pod.securityContext).toMatchObject({ runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } });
        for (const container of [...pod.containers, ...(pod.initContainers ?? [])]) {
          expect(container.securityContext).toMatchObject({
            allowPrivilegeEscalation: false,
            readOnlyRootFilesystem: true,
            capabilities: { drop: ['ALL'] },
          });
        }
        expect(pod.containers).toHaveLength(1);
        expect(pod.containers[0]?.securityContext).not.toHaveProperty('runAsUser');
        for (const rule of rulesOf(manifests)) expect(JSON.stringify(rule)).not.toContain('*');
        const shared = rulesOf(
          manifests.filter(({ kind, metadata }) => kind === 'Role' && metadata.namespace !== 'default'),
        );
        for (const { verbs, resourceNames } of shared) {
          if (verbs.join() !== 'create')
            expect(resourceNames?.join()).toMatch(/^headstart-[a-z0-9-]+(,headstart-[a-z0-9-]+)*$/);
        }
        const donor = given.kamino?.targetNode;
        for (const term of donor ? termsOf(pod) : []) {
          expect(term.matchFields).toEqual([{ key: 'metadata.name', operator: 'NotIn', values: [donor] }]);
        }
        if (donor) expect(termsOf(pod).length).toBeGreaterThan(0);
        expect(argsOf(manifests).slice(argsOf(manifests).length - (given.extraArgs?.length ?? 0))).toEqual(
          given.extraArgs ?? [],
        );
        const job = manifests.find(({ kind }) => kind === 'Job' || kind === 'CronJob');
        expect(job?.metadata.name.length).toBeLessThanOrEqual(52);
      }),
      { numRuns: 60 },
    );
  });
});

describe('the job', () => {
  test('is resumed when it was stopped, and not repeated when the run failed', () => {
    const job = rendered(RUN).find(({ kind }) => kind === 'Job') as unknown as { spec: Record<string, unknown> };
    expect(podOf(rendered(RUN)).restartPolicy).toBe('Never');
    expect(job.spec).toMatchObject({
      backoffLimit: 3,
      podFailurePolicy: {
        rules: [
          { action: 'Ignore', onPodConditions: [{ type: 'DisruptionTarget' }] },
          { action: 'FailJob', onExitCodes: { containerName: 'headstart', operator: 'In', values: [1, 2, 3] } },
        ],
      },
    });
  });

  test('omits fields that an old cluster does not support', () => {
    const job = rendered(RUN, { kubeVersion: '1.24.0' }).find(({ kind }) => kind === 'Job');
    expect(job?.spec).not.toHaveProperty('podFailurePolicy');
    expect(() => rendered(RUN, { kubeVersion: '1.20.0' })).toThrow('incompatible');
  });
});

test('the chart has the version of the program', () => {
  const chart = parse(readFileSync(join(CHART, 'Chart.yaml'), 'utf8'));
  const program = JSON.parse(readFileSync(join(CHART, '../../package.json'), 'utf8'));
  expect(chart.appVersion).toBe(program.version);
});

test('helm lint reports nothing', () => {
  const ran = spawnSync(tools.helm, ['lint', '--strict', CHART], { encoding: 'utf8' });
  expect(ran.stdout + ran.stderr).toContain('1 chart(s) linted, 0 chart(s) failed');
  expect(ran.status).toBe(0);
});
