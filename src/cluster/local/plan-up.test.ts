import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ClusterRecord } from './cluster-files.ts';
import { describeStep, type PlaneState, type PortName, planUp } from './plan-up.ts';
import { KUBE_SERVERS, SERVERS, type Server } from './server-flags.ts';

const record: ClusterRecord = {
  format: 1,
  kubernetes: 'v1.35.8',
  programs: '/p',
  ports: { etcd: 1, 'etcd-peer': 2, 'kube-apiserver': 3, 'kube-controller-manager': 4, 'kube-scheduler': 5 },
  guestAddress: '168.0.0.10',
  createdMs: 0,
};
const seen = (more: Partial<PlaneState>): PlaneState => ({
  name: 'lab',
  record,
  wanted: { kubernetes: record.kubernetes, programs: record.programs },
  running: new Set(SERVERS),
  withOtherArguments: new Set(),
  settings: [],
  takenPorts: new Set(),
  certificates: [],
  bindings: [],
  ...more,
});
const told = (plan: ReturnType<typeof planUp>) =>
  plan.map((step) => ('server' in step ? `${step.do} ${step.server}` : step.do));

describe('planUp', () => {
  it('is empty if the cluster is up', () => {
    expect(planUp(seen({}))).toEqual([]);
    expect(planUp(seen({ wantedPort: { port: 3, isFree: false } }))).toEqual([]);
  });

  it('has all steps in order for a new cluster', () => {
    const plan = planUp(seen({ record: undefined, running: new Set(), certificates: ['ca', 'admin'] }));
    const starts = SERVERS.map((server) => `start ${server}`);
    expect(told(plan)).toEqual(['take-ports', 'certify', ...starts, 'let-nodes-join']);
    expect(plan.map(describeStep)).toContain('create certificates: ca, admin');
  });

  it('starts only a killed server', () => {
    const running = new Set<Server>(SERVERS.filter((server) => server !== 'kube-apiserver'));
    expect(told(planUp(seen({ running })))).toEqual(['start kube-apiserver']);
  });

  it('takes another port if the old one is in use, and restarts its clients', () => {
    const running = new Set<Server>(SERVERS.filter((server) => server !== 'etcd'));
    const plan = planUp(seen({ running, takenPorts: new Set<PortName>(['etcd']) }));
    expect(plan[1]).toEqual({ do: 'take-ports', names: ['etcd'] });
    expect(told(plan)).toEqual(['stop kube-apiserver', 'take-ports', 'start etcd', 'start kube-apiserver']);
  });

  it('never changes the port of the API server without a request', () => {
    const away = seen({
      running: new Set<Server>(['etcd', 'headstart-egress']),
      takenPorts: new Set<PortName>(['kube-apiserver']),
    });
    expect(() => planUp(away)).toThrow(expect.objectContaining({ code: 'cluster/port-taken' }));
    for (const wantedPort of [
      { port: 3, isFree: false },
      { port: 6443, isFree: false },
    ])
      expect(() => planUp({ ...away, wantedPort })).toThrow(expect.objectContaining({ code: 'cluster/port-taken' }));
    expect(told(planUp({ ...away, wantedPort: { port: 6443, isFree: true } }))).toEqual([
      'take-ports',
      'start kube-apiserver',
      'start kube-controller-manager',
      'start kube-scheduler',
    ]);
  });

  it('restarts the clients of the API server when its port changes', () => {
    expect(told(planUp(seen({ wantedPort: { port: 6443, isFree: true } })))).toEqual([
      'stop kube-scheduler',
      'stop kube-controller-manager',
      'stop kube-apiserver',
      'take-ports',
      'start kube-apiserver',
      'start kube-controller-manager',
      'start kube-scheduler',
    ]);
  });

  it('stops servers with outdated arguments or settings before it writes', () => {
    const plan = planUp(
      seen({
        withOtherArguments: new Set<Server>(['etcd']),
        settings: [{ file: 'egress.json', reader: 'kube-apiserver' }, { file: 'kubeconfig' }],
      }),
    );
    expect(told(plan)).toEqual([
      'stop kube-apiserver',
      'stop etcd',
      'write-settings',
      'start etcd',
      'start kube-apiserver',
    ]);
    expect(plan.map(describeStep)).toEqual(
      expect.arrayContaining([
        'stop kube-apiserver, which has read outdated settings',
        'stop etcd, which runs with outdated arguments',
        'rewrite egress.json, kubeconfig',
      ]),
    );
    expect(told(planUp(seen({ settings: [{ file: 'kubeconfig' }] })))).toEqual(['write-settings']);
  });

  it('restarts all of Kubernetes for an upgrade, and refuses a downgrade', () => {
    const plan = planUp(seen({ wanted: { kubernetes: 'v1.36.1', programs: '/new' } }));
    expect(told(plan)).toEqual([
      ...KUBE_SERVERS.toReversed().map((server) => `stop ${server}`),
      'use-programs',
      ...KUBE_SERVERS.map((server) => `start ${server}`),
    ]);
    expect(plan.map(describeStep)).toContain('upgrade from Kubernetes v1.35.8 to v1.36.1');
    expect(() => planUp(seen({ wanted: { kubernetes: 'v1.35.7', programs: '/p' } }))).toThrow(
      expect.objectContaining({ code: 'cluster/other-version' }),
    );
    const elsewhere = planUp(seen({ running: new Set(), wanted: { kubernetes: 'v1.35.8', programs: '/new' } }));
    expect(describeStep(elsewhere[0]!)).toBe('run the programs from /new from now on');
    const moved = planUp(seen({ wanted: { kubernetes: 'v1.35.8', programs: '/new' } }));
    expect(describeStep(moved[0]!)).toBe('stop kube-scheduler, which comes from another folder');
    expect(told(moved)).toEqual(told(plan));
  });

  it('restores wrong role bindings if they are known', () => {
    expect(told(planUp(seen({ bindings: ['headstart:ask-kubelets'] })))).toEqual(['let-nodes-join']);
    expect(planUp(seen({ bindings: undefined }))).toEqual([]);
  });

  it('starts over if the record was removed while the servers ran', () => {
    expect(told(planUp(seen({ record: undefined })))).toEqual([
      ...SERVERS.toReversed().map((server) => `stop ${server}`),
      'take-ports',
      ...SERVERS.map((server) => `start ${server}`),
      'let-nodes-join',
    ]);
  });

  it('refuses a port that is in use or belongs to another cluster', () => {
    for (const wantedPort of [
      { port: 6443, isFree: true, owner: 'prod' },
      { port: 1, isFree: true },
    ])
      expect(() => planUp(seen({ wantedPort }))).toThrow(expect.objectContaining({ code: 'cluster/port-taken' }));
    expect(() => planUp(seen({ wantedPort: { port: 6443, isFree: true, owner: 'prod' } }))).toThrow(/cluster prod/);
    expect(() => planUp(seen({ wantedPort: { port: 1, isFree: true } }))).toThrow(/its own etcd/);
  });

  it('leaves every program running or starts it once, never before its dependency', () => {
    const subset = <T extends string>(of: readonly T[]) => fc.subarray([...of]).map((some) => new Set<T>(some));
    const ports = subset<PortName>(['etcd', 'etcd-peer', 'kube-controller-manager', 'kube-scheduler']);
    fc.assert(
      fc.property(
        subset(SERVERS),
        subset(SERVERS),
        ports,
        fc.option(fc.constantFrom(3, 6443), { nil: undefined }),
        fc.constantFrom('v1.35.8', 'v1.35.9'),
        (running, otherwise, taken, port, kubernetes) => {
          const plan = planUp(
            seen({
              running,
              withOtherArguments: new Set([...otherwise].filter((server) => running.has(server))),
              takenPorts: taken,
              wanted: { kubernetes, programs: '/p' },
              ...(port && { wantedPort: { port, isFree: true } }),
            }),
          );
          const stopped = plan.flatMap((step) => (step.do === 'stop' ? [step.server] : []));
          const started = plan.flatMap((step) => (step.do === 'start' ? [step.server] : []));
          expect(started).toEqual(SERVERS.filter((server) => started.includes(server)));
          expect(stopped.every((server) => running.has(server) && started.includes(server))).toBe(true);
          expect(new Set([...started, ...running])).toEqual(new Set(SERVERS));
          for (const server of started) expect(!running.has(server) || stopped.includes(server)).toBe(true);
        },
      ),
    );
  });
});
