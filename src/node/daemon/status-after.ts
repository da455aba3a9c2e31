// node/daemon/status-after.ts: which status does the node report after work on it ended?

import type { ApplyOutcome } from '../apply/contract.ts';
import { reasonFor } from '../reason-codes.ts';
import type { DaemonState, DaemonWork, PhaseStatus, Why } from './state.ts';

type VisibleState = Pick<DaemonState, 'ofDocument' | 'ofNode' | 'notes'>;

export function statusAfter(before: DaemonState, work: DaemonWork['is'], outcome: ApplyOutcome): VisibleState {
  // An ordered rollback replaces the delivered document.
  const state = work === 'rolling-back' ? { ...before, ofDocument: undefined } : before;
  const notes = notesAfter(state, outcome);
  const because: Why = { code: outcome.code, detail: outcome.reason };
  const isDone = outcome.kind === 'unchanged' || outcome.kind === 'applied' || outcome.kind === 'verified';
  // With plan/needs-control-plane the rest of the document is applied.
  if (isDone || outcome.code === 'plan/needs-control-plane') return { ...inForce(state, work, outcome), notes };

  const isAboutDocument = work === 'applying';
  const about = (shown: PhaseStatus): VisibleState =>
    isAboutDocument ? { ofDocument: shown, ofNode: state.ofNode, notes } : { ...state, ofNode: shown, notes };
  switch (outcome.kind) {
    case 'reverted':
      return { ofDocument: undefined, ofNode: { phase: 'RolledBack', ...because }, notes };
    case 'failed':
      return about({ phase: 'Degraded', ...because });
    case 'waiting':
      // Another process is changing the node; the daemon retries later.
      if (outcome.code === 'apply/busy' && !isAboutDocument) return { ...state, notes };
      return about({ phase: 'Planned', ...because });
    default:
      return about({ phase: 'Blocked', ...because });
  }
}

function inForce(
  state: DaemonState,
  work: DaemonWork['is'],
  outcome: ApplyOutcome,
): Pick<VisibleState, 'ofDocument' | 'ofNode'> {
  const { active } = outcome.slots;
  const isWatched = outcome.slots.watch !== undefined;
  const ofDocument = work === 'applying' || work === 'rolling-back' ? undefined : state.ofDocument;
  if (active === undefined) return { ofDocument, ofNode: state.ofNode };
  // RolledBack stays until another document is applied, even while the old one is healthy.
  const isStillRolledBack = state.ofNode.phase === 'RolledBack' && work !== 'applying' && work !== 'rolling-back';
  if (isStillRolledBack) return { ofDocument, ofNode: state.ofNode };
  // While a change is watched, only the checks report its status.
  if (isWatched && work === 'reconciling' && state.ofNode.phase !== 'Idle') return { ofDocument, ofNode: state.ofNode };
  const name = `generation ${active.generation}`;
  if (!isWatched)
    return { ofDocument, ofNode: { phase: 'Applied', code: 'ok/applied', detail: `the node runs ${name}` } };
  const code = outcome.kind === 'applied' ? outcome.code : 'verify/running';
  const detail = outcome.kind === 'applied' ? outcome.reason : `watching the health of ${name}`;
  return { ofDocument, ofNode: { phase: 'Verifying', code, detail } };
}

/** Part of an applied document may still wait for the control plane. */
function notesAfter(state: DaemonState, outcome: ApplyOutcome): readonly Why[] {
  const code = 'plan/needs-control-plane';
  const others = state.notes.filter((note) => note.code !== code);
  if (outcome.code === code) return [...others, { code, detail: outcome.reason }];
  const isPlanned = outcome.plan !== undefined;
  if (!isPlanned) return state.notes;
  const isLeft = outcome.plan?.changes.some((change) => change.class === 'C') === true;
  return isLeft ? [...others, { code, detail: reasonFor(code).summary }] : others;
}
