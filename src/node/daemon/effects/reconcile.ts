// node/daemon/effects/reconcile.ts: how is the active document applied again? It restores settings that a boot cleared,
// repairs drift and picks up changed override files. Applying the same document again is not a new change, so it waits
// neither for a window nor for an operator.
import type { Clock } from '../../../base/clock.ts';
import { UserError } from '../../../base/errors.ts';
import type { ApplyOutcome, Assignment, NodeStore } from '../../apply/contract.ts';
import { MAX_TEXT_BYTES } from '../../document/unwrap.ts';
import { type NodeContext, readAssignment } from '../read-assignment.ts';
import type { Why } from '../state.ts';

export interface ReconcileDeps {
  store: NodeStore;
  context(): NodeContext;
  clock: Clock;
  signal?: AbortSignal | undefined;
}

export interface Reconciliation {
  outcome: ApplyOutcome;
  /** Set if the document could not be read again and was applied as saved. */
  note?: Why | undefined;
}

export async function reconcile({ store, context, clock, signal }: ReconcileDeps): Promise<Reconciliation> {
  const active = store.active();
  const slots = store.slots();
  if (active === undefined)
    return {
      outcome: { kind: 'unchanged', code: 'ok/nothing-to-do', reason: 'no document is applied', timings: [], slots },
    };
  const { assignment, note } = await readAgain(active, context, clock);
  const { mode, window } = assignment.config.update;
  const isSame = assignment.hash === slots.active?.hash;
  const mayWait = isSame && (mode === 'manual' || mode === 'staged' || window !== undefined);
  const isWaiting = mayWait && (await store.plan(assignment, { isOrdered: false })).verdict.decision === 'wait';
  return { outcome: await store.apply(assignment, { isOrdered: isWaiting, signal }), note };
}

/** An invalid override file must not make kubelet start without the firewall, the swap and the host name of the applied document. */
async function readAgain(
  active: Assignment,
  context: () => NodeContext,
  clock: Clock,
): Promise<{ assignment: Assignment; note?: Why }> {
  const asApplied = (detail: string) => ({
    assignment: active,
    note: { code: 'config/kept-as-applied', detail } as const,
  });
  const { document, origin, documentHash } = active;
  const unread = { document, origin, instance: active.facts.instance };
  // The document may have expired; an applied document stays valid.
  const applied = { generation: active.config.generation, documentHash };
  try {
    const result = await readAssignment(unread, context(), {
      nowMs: clock.nowMs(),
      applied,
      allowsOlder: true,
      maxBytes: MAX_TEXT_BYTES, // it was accepted before, from any source
    });
    return 'why' in result ? asApplied(result.why.detail) : result;
  } catch (error) {
    if (error instanceof UserError) return asApplied(error.message);
    throw error;
  }
}
