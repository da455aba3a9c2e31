// prototype/run/step.ts: the shape of one idempotent unit of a run.

import type { WaitReporter } from '../../base/call-options.ts';
import type { Clock } from '../../base/clock.ts';
import type { Cluster } from '../../cluster/cluster.ts';
import type { VmProvider } from '../../vms/provider.ts';
import type { ProtectedSettings } from '../../vms/publisher.ts';
import type { FieldChange } from './model-diff.ts';
import type { RunWorld, Scene } from './scene.ts';

/** Each step takes only the contracts it needs. */
export interface StepDeps extends VmProvider {
  cluster: Cluster;
  clock: Clock;
  signal: AbortSignal;
  onWaiting: WaitReporter;
  /** The pool's original bootstrap in base64, found on the donor or given by the operator. Only the Secret stores it. */
  customData?: string;
  /** The protected settings of extensions that leave the model, likewise. */
  protectedSettings?: ProtectedSettings;
  /** Runs the seal on the donor and reads its result back; throws when any item is missing. */
  seal(nodeName: string, vmId: string): Promise<void>;
}

export interface Step {
  /** Persisted in logs and events: no number, never renamed. */
  id: string;
  title: string;
  /** Expected duration for progress output: an estimate from vendor documentation, not measured on a cloud yet. */
  usuallyMs: number;
  /** Whether this run needs the step in the current state. */
  isNeeded(scene: Scene): boolean;
  /** Whether the observed state has its effect. Never remembered. */
  isDone(scene: Scene): boolean;
  apply(scene: Scene, deps: StepDeps): Promise<void>;
  /** What the step changes in the pool's model, for progress output. */
  changes?(scene: Scene): FieldChange[];
  /** What a person has to know or decide after this step. */
  warning?(scene: Scene): string | undefined;
  /**
   * For a step that only waits: reads what it waits for. The result only shows whether the wait continues; the next step is always
   * planned from a full observation.
   */
  poll?(scene: Scene, deps: Pick<StepDeps, keyof VmProvider | 'cluster' | 'signal'>): Promise<Partial<RunWorld>>;
  /** The step waits, so it may repeat without an attempt limit; every other step has to have an effect. */
  isWaiting?: boolean;
  /** Default: the limit of the run. */
  maxAttempts?: number;
  /** How long the step may take in all; default: as long as the run. */
  giveUpAfterMs?: number;
  /** After `giveUpAfterMs` the run goes on without it, and fails at the end. */
  isSkippable?: boolean;
  /** The run goes on without it when it fails, and warns at its end. Only for what the next run can do as well. */
  isOptional?(scene: Scene): boolean;
  /** Reads what only this step needs and the observation omits. The step may turn out to be done. */
  look?(scene: Scene, deps: Pick<StepDeps, keyof VmProvider | 'signal'>): Promise<Partial<RunWorld>>;
  /** What went wrong so that the step is needed. The run reports it. */
  problem?(scene: Scene): string;
}
