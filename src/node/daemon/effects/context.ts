// node/daemon/effects/context.ts: what do the effects of the daemon need? The dependencies, the documents, and a
// function that dispatches events to the loop. Types only.
import type { Clock } from '../../../base/clock.ts';
import type { NodeStore } from '../../apply/contract.ts';
import type { MetadataSource } from '../../metadata/source.ts';
import type { Log, LogOnChange } from '../../status/log.ts';
import type { StepRecorder } from '../../status/steps-file.ts';
import type { NodeContext } from '../read-assignment.ts';
import type { StandbyMemory } from '../standby/memory.ts';
import type { DaemonEvent, DaemonState } from '../state.ts';
import type { Documents } from './documents.ts';

export interface DaemonDeps {
  clock: Clock;
  /** Monotonic: not affected when the clock is set. */
  steadyMs(): number;
  /** From 0 up to 1. */
  random(): number;
  store: NodeStore;
  source: MetadataSource;
  context(): NodeContext;
  /** Derived from the identity of this node; spreads polls and turns. */
  seed: number;
  isForeign: boolean;
  /** headstart wrote kubelet's files on this machine, not on the donor. */
  hasOwnFiles(): boolean;
  standby: StandbyMemory;
  log: Log;
  steps: StepRecorder;
  /** In standby: everything but kubelet is done. */
  onPrepared(state: DaemonState): Promise<void>;
  /** kubelet may start. On the critical path: do only what is necessary before it. */
  onReady(state: DaemonState): Promise<void>;
  /** The visible status has changed. */
  onNews(state: DaemonState): void;
}

export interface EffectContext {
  deps: DaemonDeps;
  documents: Documents;
  state(): DaemonState;
  dispatch(event: UntimedEvent): void;
  /** Aborted when the daemon stops. */
  stopping: AbortSignal;
  /** Logs a line only if it differs from the last one with the same key. */
  logOnChange: LogOnChange;
}

/** The loop adds the time. */
export type UntimedEvent<E = DaemonEvent> = E extends DaemonEvent ? Omit<E, 'nowMs'> : never;
