// node/daemon/effects/context.ts: what do the effects of the daemon work with? The world around it, the documents it knows, and a way to tell
// the loop what happened. Types only.
import type { Clock } from '../../../base/clock.ts';
import type { NodeStore } from '../../apply/contract.ts';
import type { MetadataSource } from '../../metadata/source.ts';
import type { Log, LogOnChange } from '../../status/log.ts';
import type { StepRecorder } from '../../status/steps-file.ts';
import type { NodeContext } from '../read-assignment.ts';
import type { DaemonEvent, DaemonState } from '../state.ts';
import type { Documents } from './documents.ts';

export interface DaemonDeps {
  clock: Clock;
  /** Goes on evenly when the clock of the machine is set. */
  steadyMs(): number;
  /** From 0 up to 1. */
  random(): number;
  store: NodeStore;
  source: MetadataSource;
  context(): NodeContext;
  /** Unique to this node. */
  seed: number;
  isForeign: boolean;
  /** kubelet has its files from us, and they are not those of another machine. */
  hasOwnFiles(): boolean;
  log: Log;
  steps: StepRecorder;
  /** kubelet may start; nothing is done before it that does not have to be. */
  onReady(state: DaemonState): Promise<void>;
  /** What others see has changed. */
  onNews(state: DaemonState): void;
}

export interface EffectContext {
  deps: DaemonDeps;
  documents: Documents;
  state(): DaemonState;
  dispatch(event: UntimedEvent): void;
  /** The daemon was told to end. */
  stopping: AbortSignal;
  /** Says the same thing once. */
  logOnChange: LogOnChange;
}

/** The loop adds the time. */
export type UntimedEvent<E = DaemonEvent> = E extends DaemonEvent ? Omit<E, 'nowMs'> : never;
