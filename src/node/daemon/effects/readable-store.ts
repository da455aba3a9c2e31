// node/daemon/effects/readable-store.ts: what is in the store, if it can be read? A damaged store does not stop the
// daemon; work that needs it reports the damage.
import { UserError } from '../../../base/errors.ts';
import type { Assignment, NodeStore, Slots } from '../../apply/contract.ts';

export function slotsIfReadable(store: NodeStore): Slots | undefined {
  return ifReadable(() => store.slots());
}

export function activeIfReadable(store: NodeStore): Assignment | undefined {
  return ifReadable(() => store.active());
}

function ifReadable<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof UserError) return undefined;
    throw error;
  }
}
