// node/daemon/forget-donor.ts: does the saved state belong to this machine? On a clone it is the donor's: the clone
// must neither roll back to it nor finish the donor's interrupted change.

import type { NodeStore } from '../apply/contract.ts';
import { type CloneNote, isFromBefore } from '../observe/clone.ts';
import type { Log } from '../status/log.ts';

/** True: the donor's state could not be discarded. */
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
