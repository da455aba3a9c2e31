// prototype/testing.ts: an in-memory pool with its nodes and a clock, and a Dial that injects faults.

import { versionOfDay } from '../base/clock.ts';
import { TransientError, UserError } from '../base/errors.ts';
import { Conflict, NoCapacity, Throttled } from '../base/failures.ts';
import { type FakeClock, fakeClock } from '../base/fake-clock.ts';
import type { Cluster, Pod } from '../cluster/cluster.ts';
import { type FakeCluster, type FakePod, fakeCluster } from '../cluster/fake/fake-cluster.ts';
import { type FakeInstance, type FakeProvider, fakeProvider } from '../vms/fake/fake-provider.ts';
import type { InstanceRef } from '../vms/pools.ts';
import type { VmProvider } from '../vms/provider.ts';
import { galleryName } from './names.ts';
import { type RunResult, runPrototype } from './run/engine.ts';
import type { Intent } from './run/scene.ts';

export const POOL = 'pool1';
export const POOL_REF = { id: `/pools/${POOL}`, name: POOL };
const READY_AFTER_MS = 30_000;
const TAINT_GOES_AFTER_MS = 60_000;

export interface Lab {
  clock: FakeClock;
  provider: FakeProvider;
  cluster: FakeCluster;
  donor: FakeInstance;
  ref: InstanceRef;
  intent: Intent;
  run(dial?: Dial, runId?: string): Promise<RunResult>;
}

export function lab(): Lab {
  const clock = fakeClock();
  const provider = fakeProvider(clock);
  const cluster = fakeCluster(clock);
  provider.addPool(POOL, 3);
  const { instances, ref } = provider.state.pools.get(`/pools/${POOL}`)!;
  const startedMs = new Map<string, number>();
  for (const instance of instances) {
    cluster.addNode(instance.computerName, {
      providerId: `fake://${POOL}/${instance.ref.id}`,
      systemUuid: instance.vmId,
    });
  }
  provider.onPower = (instance) => {
    startedMs.set(instance.computerName, clock.nowMs());
    const shutdown = { key: 'node.cloudprovider.kubernetes.io/shutdown', effect: 'NoSchedule' };
    if (instance.power !== 'running') cluster.touch(instance.computerName, { isReady: false, taints: [shutdown] });
  };
  // Kubelet and the cloud's node controller catch up some time after a start.
  const readNode = cluster.readNode;
  cluster.readNode = async (name) => {
    const instance = instances.find((i) => i.computerName === name);
    const sinceMs = clock.nowMs() - (startedMs.get(name) ?? Number.NEGATIVE_INFINITY);
    const node = cluster.nodes.get(name);
    if (instance?.power === 'running' && node) {
      if (!node.isReady && sinceMs >= READY_AFTER_MS) cluster.touch(name, { isReady: true });
      if (node.taints.length > 0 && sinceMs >= TAINT_GOES_AFTER_MS) cluster.touch(name, { taints: [] });
    }
    return readNode(name);
  };
  const donor = instances[0]!;
  cluster.runScript = () => {
    donor.isSealed = true;
    return { exitCode: 0, stdout: 'sealed', stderr: '' };
  };
  cluster.pods = ['web-1', 'web-2'].map((name) => pod(name, donor.computerName));
  const intent: Intent = {
    nodeName: donor.computerName,
    gallery: galleryName('lab'),
    version: versionOfDay(clock.nowMs()),
    replicas: 3,
    imageHistory: 3,
    graceSeconds: 300,
    isDrainForced: false,
    isReleased: false,
    mayBeManaged: false,
  };
  return {
    clock,
    provider,
    cluster,
    donor,
    ref: { pool: ref, id: donor.ref.id },
    intent,
    run: (dial = new Dial(), runId = `run-${clock.nowMs()}`) => {
      const broken = { ...dial.wrapProvider(provider), cluster: dial.wrap<Cluster>(cluster) };
      return runPrototype(intent, { pool: ref, id: donor.ref.id }, runId, {
        ...broken,
        clock,
        signal: new AbortController().signal,
        onEvent: () => undefined,
        seal: async (nodeName) => {
          const { stdout } = await broken.cluster.runOnNode(nodeName, 'seal', { deadlineMs: 60_000 });
          if (stdout !== 'sealed') throw new UserError('the seal was not read back', { code: 'prototype/not-sealed' });
        },
      });
    },
  };
}

export function pod(name: string, nodeName: string, more: Partial<Pod> = {}): FakePod {
  return {
    nodeName,
    namespace: 'default',
    name,
    uid: `uid-of-${name}`,
    ownerKind: 'ReplicaSet',
    ownerExists: true,
    isMirror: false,
    hasEmptyDir: false,
    phase: 'Running',
    ...more,
  };
}

/** Simulates the death of the process: nothing after the throw happens. */
export class Crash extends Error {}

export const FAULTS = [
  'crash-before',
  'crash-after',
  'throttled',
  'server-error',
  'conflict',
  'no-capacity',
  'failed-but-applied',
  'succeeded-but-not-applied',
] as const;
export type Fault = (typeof FAULTS)[number];

const READS = /^(read|list|locate|find|referenced)/;

/** Results of calls that report success and have no effect. */
const EMPTY_SUCCESS: Readonly<Record<string, unknown>> = {
  evict: { outcome: 'evicted' },
  runOnNode: { exitCode: 0, stdout: '', stderr: '' },
};

/** Counts every external call and injects the fault into call number `at`. */
export class Dial {
  calls = 0;
  readonly names: string[] = [];
  isDead = false;
  private readonly fault: Fault | undefined;
  private readonly at: number;

  constructor(fault?: Fault, at = -1) {
    this.fault = fault;
    this.at = at;
  }

  wrap<T extends object>(target: T): T {
    return new Proxy(target, {
      get: (object, key) => {
        const value = Reflect.get(object, key) as unknown;
        // Parsing is no call to the outside.
        if (typeof value !== 'function' || key === 'parseProviderId') return value;
        return (...args: unknown[]) => this.around(String(key), async () => Reflect.apply(value, object, args));
      },
    });
  }

  wrapProvider({ pools, snapshots, gallery, publisher }: VmProvider): VmProvider {
    return {
      pools: this.wrap(pools),
      snapshots: this.wrap(snapshots),
      gallery: this.wrap(gallery),
      publisher: this.wrap(publisher),
    };
  }

  private async around(name: string, call: () => Promise<unknown>): Promise<unknown> {
    if (this.isDead) throw new Crash('the process is gone');
    const index = this.calls++;
    this.names.push(name);
    if (index !== this.at) return call();
    switch (this.fault) {
      case 'crash-before':
        this.isDead = true;
        throw new Crash('crashed before the call');
      case 'crash-after':
        await call();
        this.isDead = true;
        throw new Crash('crashed after the call');
      case 'throttled':
        throw new Throttled('too many requests', 90_000);
      case 'server-error':
        throw new TransientError('the service is unavailable', { code: 'vms/unavailable' });
      case 'conflict':
        throw new Conflict('changed by another client');
      case 'no-capacity':
        throw new NoCapacity('no room');
      case 'failed-but-applied':
        await call();
        throw new TransientError('the operation failed', { code: 'vms/operation-failed' });
      case 'succeeded-but-not-applied':
        return READS.test(name) ? call() : EMPTY_SUCCESS[name];
      default:
        return call();
    }
  }
}
