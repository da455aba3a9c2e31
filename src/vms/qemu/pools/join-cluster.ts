// vms/qemu/pools/join-cluster.ts: what does a pool need from its cluster? Types only; the caller implements them, so that nothing here depends on Kubernetes.
import type { CallOptions } from '../../../base/call-options.ts';
import type { Secret } from '../../../base/secret.ts';
import type { InstanceRef } from '../../pools.ts';
import type { GuestRunOptions, GuestRunResult, Service } from '../local-provider.ts';

export interface JoinCluster {
  /** Called at each start of an instance. */
  admit(cluster: string, instance: InstanceRef, options: CallOptions): Promise<Admission>;
  /** Waits until the node is Ready. On timeout, throws a UserError that says why the node is not Ready. */
  awaitReady(cluster: string, instance: JoiningInstance, options: CallOptions & { deadlineMs: number }): Promise<void>;
  /** Undefined: not known, because the cluster does not answer or was deleted. */
  isReady(cluster: string, instance: InstanceRef, options: CallOptions): Promise<boolean | undefined>;
  /** From the log of its events: since its start, when a command waited for it. */
  wasReady(joining: Pick<JoiningInstance, 'eventsFile' | 'startedMs'>): boolean;
  /** How a guest reaches the API server. Issues no credential. */
  server(cluster: string): Service;
  /** Waits until the node registers and taints it at once, so that no workload is scheduled on it. */
  reserve(cluster: string, instance: InstanceRef, options: CallOptions): Promise<void>;
  /** What is needed to create a reserved node again, as JSON. Throws a UserError when pods run on it that a DaemonSet does not own. */
  readSeed(cluster: string, instance: InstanceRef, options: CallOptions): Promise<unknown>;
  /** Creates the node of a claimed instance. `held`: with the taint of `reserve`, until `release`. One that exists gets or loses the taint. */
  createNode(
    cluster: string,
    instance: InstanceRef,
    seed: unknown,
    options: CallOptions & { held: boolean },
  ): Promise<void>;
  release(cluster: string, instance: InstanceRef, options: CallOptions): Promise<void>;
  /** Called when the machine of this name is gone for good. Succeeds when the node does not exist, or the cluster does not answer. */
  removeNode(cluster: string, instance: InstanceRef, options: CallOptions): Promise<void>;
  /** The same, but throws a `TransientError` when the cluster does not answer. Succeeds when the cluster was deleted. */
  forgetNode(cluster: string, instance: InstanceRef, options: CallOptions): Promise<void>;
}

/** An instance that is joining, and the means to find out why it does not become Ready. */
export interface JoiningInstance {
  ref: InstanceRef;
  /** On this machine's clock. */
  startedMs: number;
  /** Cluster events of the node are written here, for its boot timeline. */
  eventsFile: string;
  isRunning(): Promise<boolean>;
  runInGuest(argv: readonly [string, ...string[]], options: GuestRunOptions): Promise<GuestRunResult>;
}

export interface Admission {
  /** How the guest reaches the API server. */
  server: Service;
  /** The kubelet's bootstrap kubeconfig. */
  credential: Secret;
}
