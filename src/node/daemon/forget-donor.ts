// node/daemon/forget-donor.ts: is what this machine remembers its own? On a clone it is the donor's: no way back leads there, and a change
// that was cut off there is not this machine's to finish.

import type { NodeStore } from '../apply/contract.ts';
import { type CloneNote, isFromBefore } from '../observe/clone.ts';
import type { Log } from '../status/log.ts';

/** True: it still remembers another machine, since that could not be forgotten. */
export async function forgetDonor(
  store: Pick<NodeStore, 'slots' | 'forget'>,
  clone: CloneNote | undefined,
  log: Log,
): Promise<boolean> {
  if (clone === undefined || !isFromBefore(clone, store.slots().active)) return false;
  const { kind, code, reason } = await store.forget();
  log(kind === 'failed' ? 'warning' : 'info', reason, { code });
  return isFromBefore(clone, store.slots().active);
}
