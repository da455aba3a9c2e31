import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ClusterRecord } from './cluster-files.ts';
import { describeStep, type PortName, planUp, type Seen } from './plan-up.ts';
import { SERVERS, type Server } from './server-flags.ts';

const record: ClusterRecord = {
  format: 1,
  kubernetes: 'v1.35.8',
  programs: '/p',
  ports: { etcd: 1, 'etcd-peer': 2, 'kube-apiserver': 3, 'kube-controller-manager': 4, 'kube-scheduler': 5 },
  guestAddress: '168.0.0.10',
  createdMs: 0,
  isJoinable: true,
};
const seen = (more: Partial<Seen>): Seen => ({
  name: 'lab',
  record,
  running: new Set(SERVERS),
  takenPorts: new Set(),
  certificates: [],
  ...more,
});
const told = (plan: ReturnType<typeof planUp>) =>
  plan.map((step) => ('server' in step ? `${step.do} ${step.server}` : step.do));

describe('what is to be done until a cluster is up', () => {
  it('is nothing when it is', () => {
    expect(planUp(seen({}))).toEqual([]);
    expect(planUp(seen({ wantedPort: { port: 3, isFree: false } }))).toEqual([]);
  });

  it('is everything, in order, when there is none', () => {
    const plan = planUp(seen({ record: undefined, running: new Set(), certificates: ['ca', 'admin'] }));
    const starts = SERVERS.map((server) => `start ${server}`);
    expect(told(plan)).toEqual(['take-ports', 'certify', ...starts, 'let-nodes-join']);
    expect(plan.map(describeStep)).toContain('make certificates: ca, admin');
  });

  it('is to start what was killed, and nothing else', () => {
    const running = new Set<Server>(SERVERS.filter((server) => server !== 'kube-apiserver'));
    expect(told(planUp(seen({ running })))).toEqual(['start kube-apiserver']);
  });

  it('is to take another port where somebody else listens now, and to tell who asks there', () => {
    const running = new Set<Server>(['kube-apiserver', 'kube-controller-manager', 'kube-scheduler']);
    const plan = planUp(seen({ running, takenPorts: new Set<PortName>(['etcd']) }));
    expect(plan[1]).toEqual({ do: 'take-ports', names: ['etcd'] });
    expect(told(plan)).toEqual(['stop kube-apiserver', 'take-ports', 'start etcd', 'start kube-apiserver']);
  });

  it('is not to move the API server unasked: too many know where it is', () => {
    const away = seen({ running: new Set(['etcd']), takenPorts: new Set<PortName>(['kube-apiserver']) });
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

  it('is to start again whoever asks the API server when it is told to move', () => {
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

  it('leaves every program running or started once, and starts none before what it asks', () => {
    const subset = <T extends string>(of: readonly T[]) => fc.subarray([...of]).map((some) => new Set<T>(some));
    const ports = subset<PortName>(['etcd', 'etcd-peer', 'kube-controller-manager', 'kube-scheduler']);
    fc.assert(
      fc.property(
        subset(SERVERS),
        ports,
        fc.option(fc.constantFrom(3, 6443), { nil: undefined }),
        (running, taken, port) => {
          const plan = planUp(
            seen({ running, takenPorts: taken, ...(port && { wantedPort: { port, isFree: true } }) }),
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
