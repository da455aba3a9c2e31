// node/daemon/effects/documents.ts: which document has this sha256, and what was it read as? The machine knows documents by the sha256 of their bytes
// only; the bytes, and the assignment they became, are kept here while something in its state refers to them.
import { createHash } from 'node:crypto';
import type { Assignment } from '../../apply/contract.ts';
import type { InstanceFacts } from '../../observe/facts.ts';
import type { UnreadDocument } from '../read-assignment.ts';
import type { DaemonState } from '../state.ts';

export interface Documents {
  /** The platform says that this is the instance; documents that are kept from now on are read for it. */
  foundOn(instance: InstanceFacts): void;
  /** Returns the sha256 of its bytes. Drops the documents that nothing in `state` refers to. */
  keep(delivery: Pick<UnreadDocument, 'document' | 'origin'>, state: DaemonState): string;
  /** These bytes were read, and are meant for this node. */
  accept(raw: string, assignment: Assignment): void;
  /** Throws for a document that is not kept any more. */
  unread(raw: string): UnreadDocument;
  /** Throws for a document that was not accepted. */
  assignment(raw: string): Assignment;
}

interface KnownDocument {
  unread: UnreadDocument;
  assignment?: Assignment | undefined;
}

/** `instanceBefore`: as far as is known until the platform says. */
export function keepDocuments(instanceBefore: () => InstanceFacts | undefined): Documents {
  const known = new Map<string, KnownDocument>();
  let latest: InstanceFacts | undefined;

  function find(raw: string): KnownDocument {
    const found = known.get(raw);
    if (found === undefined) throw new Error('the document to be read is not there any more');
    return found;
  }

  return {
    foundOn(instance) {
      latest = instance;
    },
    keep({ document, origin }, state) {
      const raw = createHash('sha256').update(document).digest('hex');
      const needed = neededBy(state);
      for (const one of known.keys()) if (!needed.has(one)) known.delete(one);
      known.set(raw, {
        ...known.get(raw),
        unread: { document, origin, instance: latest ?? instanceBefore() ?? NO_INSTANCE },
      });
      return raw;
    },
    accept(raw, assignment) {
      known.set(raw, { ...find(raw), assignment });
    },
    unread: (raw) => find(raw).unread,
    assignment(raw) {
      const { assignment } = find(raw);
      if (assignment === undefined) throw new Error('the document to be applied was not accepted');
      return assignment;
    },
  };
}

const NO_INSTANCE: InstanceFacts = { platform: 'file', addresses: [], tags: {} };

function neededBy({ pending, work, orders }: DaemonState): Set<string | undefined> {
  const ofWork = work !== undefined && 'raw' in work ? work.raw : undefined;
  const ofOrders = orders.map((order) => (order.what === 'apply' ? order.raw : undefined));
  return new Set([pending?.raw, ofWork, ...ofOrders]);
}
