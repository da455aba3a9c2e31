// node/daemon/effects/reconcile.ts: what the node runs, once more: settings that did not outlive a boot, files that somebody else changed, local
// files that change the document. The same document again is no new change: it does not wait for a window or for a person.
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
  /** It was put right as it was applied, since it could not be read again. */
  note?: Why | undefined;
}

export async function reconcile({ store, context, clock, signal }: ReconcileDeps): Promise<Reconciliation> {
  const active = store.active();
  const slots = store.slots();
  if (active === undefined)
    return {
      outcome: { kind: 'unchanged', code: 'ok/nothing-to-do', reason: 'nothing is applied', timings: [], slots },
    };
  const { assignment, note } = await readAgain(active, context, clock);
  const { mode, window } = assignment.config.update;
  const isSame = assignment.hash === slots.active?.hash;
  const mayWait = isSame && (mode === 'manual' || mode === 'staged' || window !== undefined);
  const isWaiting = mayWait && (await store.plan(assignment, { isOrdered: false })).verdict.decision === 'wait';
  return { outcome: await store.apply(assignment, { isOrdered: isWaiting, signal }), note };
}

/** A mistake in a file of the node must not start kubelet without the firewall, the swap and the host name it was joined with. */
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
  // Its time may be over; what is applied stays in force.
  const applied = { generation: active.config.generation, documentHash };
  try {
    const result = await readAssignment(unread, context(), {
      nowMs: clock.nowMs(),
      applied,
      allowsOlder: true,
      maxBytes: MAX_TEXT_BYTES, // it was taken, however it came
    });
    return 'why' in result ? asApplied(result.why.detail) : result;
  } catch (error) {
    if (error instanceof UserError) return asApplied(error.message);
    throw error;
  }
}
