// node/daemon/standby/decide-join.ts: is this instance in standby, and when does it join? In standby the daemon does everything but let
// kubelet start. It joins when the metadata says that the instance was claimed. Pure.
import type { StandbyReport } from '../../metadata/source.ts';
import { withoutEffects } from '../answers.ts';
import { withNote, withoutNote } from '../notes.ts';
import type { DaemonEffect, DaemonState, NodeStandby, Transition } from '../state.ts';

/** Every agent of an instance shares five requests per second. */
export const STANDBY_POLL_MS = 1000;

/**
 * How long an instance that was started or resumed waits for metadata that do not answer, before it joins without them.
 * A stopped or hibernated instance is started only when it is claimed, so this is evidence of a claim; cluster-autoscaler
 * replaces a node that does not join within 15 minutes. An instance that runs through has no such evidence and waits on:
 * a node that joins while the pool still owns it would get pods and be handed out again.
 */
const SILENCE_MS = 300_000;

export function startStandby(
  saved: Pick<NodeStandby, 'where' | 'sinceMs' | 'isWoken'> | undefined,
): NodeStandby | undefined {
  return saved && { ...saved, isConfirmed: false, isPrepared: false };
}

export function onStandbyReport(
  state: DaemonState,
  { report, hasDocument }: { report: StandbyReport | undefined; hasDocument: boolean },
  nowMs: number,
): Transition {
  const after = withOddity(state, report);
  switch (report?.is) {
    case 'unknown':
      return withoutEffects(withSilence(after, nowMs));
    case 'in':
      return enter(after, 'pool', nowMs);
    case 'parked':
      // Only its owner gives a VM a document, so a VM with one was claimed.
      return hasDocument ? leave(after, 'metadata', nowMs) : enter(after, 'parked', nowMs);
    default:
      return leave(after, 'metadata', nowMs);
  }
}

function withOddity(state: DaemonState, report: StandbyReport | undefined): DaemonState {
  const { oddity } = report ?? {};
  return oddity === undefined
    ? withoutNote(state, 'standby/not-understood')
    : withNote(state, { code: 'standby/not-understood', detail: oddity });
}

function enter(state: DaemonState, where: NodeStandby['where'], nowMs: number): Transition {
  if (state.isReady) {
    const detail = 'the metadata says that the instance is in standby, but kubelet was already started';
    return withoutEffects(withNote(state, { code: 'standby/already-joined', detail }));
  }
  const { standby: known } = state;
  if (known?.left?.by === 'order') return withoutEffects(state);
  const standby: NodeStandby = {
    sinceMs: nowMs,
    isWoken: false,
    isPrepared: false,
    ...known,
    where,
    isConfirmed: true,
    silentSinceMs: undefined,
    left: undefined,
  };
  const isSaved = known?.where === where && known.left === undefined;
  const effects: DaemonEffect[] = isSaved
    ? []
    : [{ do: 'remember-standby', standby: { where, sinceMs: standby.sinceMs } }];
  return { state: { ...withoutSilence(state), standby }, effects };
}

function leave(state: DaemonState, by: NonNullable<NodeStandby['left']>['by'], nowMs: number): Transition {
  const after = withoutNote(withoutSilence(state), 'standby/already-joined');
  const { standby } = after;
  if (standby === undefined || standby.left !== undefined) return withoutEffects(after);
  return withoutEffects({ ...after, standby: { ...standby, silentSinceMs: undefined, left: { atMs: nowMs, by } } });
}

/** The metadata did not say whether the instance is still in standby: it stays there. */
export function withSilence(state: DaemonState, nowMs: number): DaemonState {
  const { standby } = state;
  if (standby === undefined || standby.left !== undefined) return state;
  const detail = 'the metadata does not say whether the instance was claimed; it stays in standby';
  const silentSinceMs = standby.silentSinceMs ?? nowMs;
  return withNote({ ...state, standby: { ...standby, silentSinceMs } }, { code: 'standby/unconfirmed', detail });
}

function withoutSilence(state: DaemonState): DaemonState {
  return withoutNote(state, 'standby/unconfirmed');
}

/** When an instance that was woken joins although the metadata is silent. */
export function silenceOverMs({ standby }: DaemonState): number | undefined {
  const { isWoken, silentSinceMs, left } = standby ?? {};
  return isWoken && silentSinceMs !== undefined && left === undefined ? silentSinceMs + SILENCE_MS : undefined;
}

export function withSilenceOver(state: DaemonState, nowMs: number): DaemonState {
  const overMs = silenceOverMs(state);
  if (overMs === undefined || nowMs < overMs) return state;
  const detail = `the metadata has not answered in the ${SILENCE_MS / 60_000} minutes since the instance was started or resumed`;
  return withNote(leave(state, 'silence', nowMs).state, { code: 'standby/assumed-claimed', detail });
}

/** Look at the metadata at once; a fetch from before the machine slept may hang until its timeout. */
export function onResumed(state: DaemonState, nowMs: number): DaemonState {
  const { standby, fetch, due } = state;
  if (standby === undefined || standby.left !== undefined || fetch?.orderId !== undefined) return state;
  return {
    ...state,
    standby: { ...standby, isWoken: true, silentSinceMs: undefined },
    fetch: undefined,
    due: { ...due, fetchMs: nowMs },
  };
}

export function onToldToJoin(state: DaemonState, nowMs: number): DaemonState {
  return leave(state, 'order', nowMs).state;
}

/** Work ended after which kubelet could start. */
export function prepared(state: DaemonState, effects: readonly DaemonEffect[]): Transition {
  const { standby } = state;
  if (standby === undefined || standby.isPrepared) return { state, effects };
  return {
    state: { ...state, standby: { ...standby, isPrepared: true } },
    effects: [{ do: 'report-prepared' }, ...effects],
  };
}

/** Joins once the instance was claimed, and what arrived with the claim is applied. */
export function withJoin({ state, effects }: Transition, nowMs: number): Transition {
  const { standby, isReady, work, pending, isStopping } = state;
  const isDue = pending !== undefined && nowMs >= pending.atMs;
  if (!standby?.left || !standby.isPrepared || isReady || work !== undefined || isDue || isStopping)
    return { state, effects };
  return {
    state: { ...state, isReady: true, standby: { ...standby, joinedMs: nowMs } },
    // Forgotten after the mark of report-ready: a crash in between leaves an instance in standby or one that starts kubelet.
    effects: [{ do: 'report-ready' }, { do: 'remember-standby', standby: undefined }, ...effects],
  };
}
