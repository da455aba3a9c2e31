// vms/qemu/pools/join-cluster.ts: what does a pool need of the cluster it belongs to? Types only; filled in from outside, so that nothing here knows Kubernetes.
import type { CallOptions } from '../../../base/call-options.ts';
import type { Secret } from '../../../base/secret.ts';
import type { InstanceRef } from '../../pools.ts';
import type { GuestRunOptions, GuestRunResult, Service } from '../local-provider.ts';

/** Of a cluster, for the pools that belong to it. */
export interface JoinCluster {
  /** For one start of one instance. */
  admit(cluster: string, instance: InstanceRef, options: CallOptions): Promise<Admission>;
  /** Until its node is Ready. Throws a UserError that says why it is not, when it is not in time. */
  awaitReady(cluster: string, instance: JoiningInstance, options: CallOptions & { deadlineMs: number }): Promise<void>;
  isReady(cluster: string, instance: InstanceRef, options: CallOptions): Promise<boolean>;
  /** The machine that had this name is gone for good: so is its node. Gone already is success. */
  removeNode(cluster: string, instance: InstanceRef, options: CallOptions): Promise<void>;
}

/** An instance on its way, and what tells about it when it does not arrive. */
export interface JoiningInstance {
  ref: InstanceRef;
  /** On this machine's clock. */
  startedMs: number;
  /** What the cluster sees of it is noted here, for its timeline. */
  eventsFile: string;
  isRunning(): Promise<boolean>;
  runInGuest(argv: readonly [string, ...string[]], options: GuestRunOptions): Promise<GuestRunResult>;
}

export interface Admission {
  /** How the guest reaches the API server. */
  server: Service;
  /** The kubeconfig that its kubelet begins with. */
  credential: Secret;
}
