// node/apply/owed-uncordon.ts: is a drained node still out of service because the API server could not be told that it is back? Then it is
// told now, if it answers.
import type { State } from './records.ts';
import type { Transaction } from './transaction.ts';

export async function uncordonIfOwed({ deps, folder }: Transaction, state: State): Promise<State> {
  if (!state.owesUncordon) return state;
  try {
    await deps.node.uncordon();
  } catch {
    return state; // still owed
  }
  const next = { ...state, owesUncordon: false };
  await folder.writeState(next);
  return next;
}
