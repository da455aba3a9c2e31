// prototype/run/step.ts: the shape of one idempotent unit of a run.

import type { Waiting } from '../../base/call-options.ts';
import type { Clock } from '../../base/clock.ts';
import type { Cluster } from '../../cluster/cluster.ts';
import type { Factory } from '../../vms/factory.ts';
import type { RunWorld, Scene } from './scene.ts';

/** A step takes the contracts it needs, and no others. */
export interface StepDeps extends Factory {
  cluster: Cluster;
  clock: Clock;
  signal: AbortSignal;
  onWaiting: Waiting;
  /** The pool's original bootstrap in base64, as found on the donor or given by the operator; only ever written to the Secret. */
  customData?: string;
  /** Runs the seal on the donor and reads its result back; throws when any item is missing. */
  seal(nodeName: string, vmId: string): Promise<void>;
}

export interface Step {
  /** Persisted in logs and events: no number, never renamed. */
  id: string;
  title: string;
  /** What it may take, for whoever watches: an estimate from the documents, measured on no cloud yet. */
  usuallyMs: number;
  /** Whether this run needs it at all, as things stand. */
  isNeeded(scene: Scene): boolean;
  /** Whether its effect is there, by looking at the world; never by remembering. */
  isDone(scene: Scene): boolean;
  apply(scene: Scene, deps: StepDeps): Promise<void>;
  /**
   * For a step that does nothing but wait: what it waits for, read by itself. It may show that there is more to wait for, never what to do
   * next: that is decided on the whole world.
   */
  poll?(scene: Scene, deps: Pick<StepDeps, keyof Factory | 'cluster' | 'signal'>): Promise<Partial<RunWorld>>;
  /** It looks and waits, and is right to be asked again and again; every other step has to have an effect. */
  isWaiting?: boolean;
}
