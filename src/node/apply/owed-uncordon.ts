// node/apply/owed-uncordon.ts: is the node still cordoned because an earlier uncordon failed? Then try again.
import type { State } from './records.ts';
import type { Transaction } from './transaction.ts';

export async function uncordonIfOwed({ deps, folder }: Transaction, state: State): Promise<State> {
  if (!state.owesUncordon) return state;
  try {
    await deps.node.uncordon();
  } catch {
    return state; // the next call retries
  }
  const next = { ...state, owesUncordon: false };
  await folder.writeState(next);
  return next;
}
