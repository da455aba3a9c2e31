// node/daemon/reconcile.ts: what the node runs, once more: settings that did not outlive a boot, files that somebody else changed, local
// files that change the document. The same document again is no new change: it does not wait for a window or for a person.
import type { Clock } from '../../base/clock.ts';
import type { NodeStore, Outcome } from '../transaction/contract.ts';
import { MAX_TEXT_BYTES } from '../unwrap.ts';
import { type NodeContext, readAssignment } from './read.ts';

export interface Reconciling {
  store: NodeStore;
  context(): NodeContext;
  clock: Clock;
  signal?: AbortSignal | undefined;
}

export async function reconcile({ store, context, clock, signal }: Reconciling): Promise<Outcome> {
  const active = store.active();
  const slots = store.slots();
  const nothing = { timings: [], slots };
  if (active === undefined)
    return { kind: 'unchanged', code: 'ok/nothing-to-do', reason: 'nothing is applied', ...nothing };
  const { document, origin, documentHash } = active;
  const toRead = { document, origin, instance: active.facts.instance };
  // Its time may be over; what is applied stays in force.
  const applied = { generation: active.config.generation, documentHash };
  const result = await readAssignment(toRead, context(), {
    nowMs: clock.nowMs(),
    applied,
    allowsOlder: true,
    maxBytes: MAX_TEXT_BYTES, // it was taken, however it came
  });
  if ('why' in result) return { kind: 'blocked', code: result.why.code, reason: result.why.detail, ...nothing };

  const { assignment } = result;
  const { mode, window } = assignment.config.update;
  const isSame = assignment.hash === slots.active?.hash;
  const mayWait = isSame && (mode === 'manual' || mode === 'staged' || window !== undefined);
  const isWaiting = mayWait && (await store.plan(assignment, { isOrdered: false })).verdict.decision === 'wait';
  return store.apply(assignment, { isOrdered: isWaiting, signal });
}
