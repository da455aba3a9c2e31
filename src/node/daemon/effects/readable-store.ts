// node/daemon/effects/readable-store.ts: what does the store remember, if it can be read? Work that needs a damaged memory reports it; until a
// person repairs it, the node runs as it is.
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
