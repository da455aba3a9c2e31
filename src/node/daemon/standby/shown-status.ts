// node/daemon/standby/shown-status.ts: what does the status say about a node in standby? Pure.
import type { DaemonState, PhaseStatus } from '../state.ts';

/** Undefined: the status of the node's document says it all. */
export function shownInStandby({ standby, isReady, ofNode, slots }: DaemonState): PhaseStatus | undefined {
  if (standby === undefined || isReady || standby.left !== undefined) return undefined;
  if (standby.where === 'parked') {
    return {
      phase: 'Idle',
      code: 'standby/parked',
      detail: 'the platform booted this VM in advance; it has no owner and no document yet',
    };
  }
  const isInForce = ofNode.phase === 'Applied' || ofNode.phase === 'Verifying';
  if (!standby.isPrepared || !isInForce || slots.active === undefined) return undefined;
  return {
    phase: 'Applied',
    code: 'standby/waiting',
    detail: `generation ${slots.active.generation} is applied; kubelet starts when the instance is claimed`,
  };
}
