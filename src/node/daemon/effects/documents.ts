// node/daemon/effects/documents.ts: which bytes and which assignment belong to a sha256? The state machine refers to
// documents by the sha256 of their bytes. This keeps the bytes and the assignment while the state refers to them.
import { createHash } from 'node:crypto';
import type { Assignment } from '../../apply/contract.ts';
import type { InstanceFacts } from '../../observe/facts.ts';
import type { UnreadDocument } from '../read-assignment.ts';
import type { DaemonState } from '../state.ts';

export interface Documents {
  /** Sets the facts about the instance for documents that are kept from now on. */
  foundOn(instance: InstanceFacts): void;
  /** Returns the sha256 of its bytes. Drops the documents that nothing in `state` refers to. */
  keep(delivery: Pick<UnreadDocument, 'document' | 'origin'>, state: DaemonState): string;
  /** Whether these are the bytes of that sha256. */
  isKnown(document: Uint8Array, raw: string | undefined): boolean;
  /** Saves the assignment that was read from the document. */
  accept(raw: string, assignment: Assignment): void;
  /** Throws if the document was dropped. */
  unread(raw: string): UnreadDocument;
  /** Throws if the document was not accepted. */
  assignment(raw: string): Assignment;
}

interface KnownDocument {
  unread: UnreadDocument;
  assignment?: Assignment | undefined;
}

/** `instanceBefore`: used until the platform reports the instance. */
export function keepDocuments(instanceBefore: () => InstanceFacts | undefined): Documents {
  const known = new Map<string, KnownDocument>();
  let latest: InstanceFacts | undefined;

  function find(raw: string): KnownDocument {
    const found = known.get(raw);
    if (found === undefined) throw new Error('the document to read was dropped');
    return found;
  }

  return {
    foundOn(instance) {
      latest = instance;
    },
    keep({ document, origin }, state) {
      const raw = sha256(document);
      const needed = neededBy(state);
      for (const one of known.keys()) if (!needed.has(one)) known.delete(one);
      known.set(raw, {
        ...known.get(raw),
        unread: { document, origin, instance: latest ?? instanceBefore() ?? NO_INSTANCE },
      });
      return raw;
    },
    isKnown: (document, raw) => raw !== undefined && sha256(document) === raw,
    accept(raw, assignment) {
      known.set(raw, { ...find(raw), assignment });
    },
    unread: (raw) => find(raw).unread,
    assignment(raw) {
      const { assignment } = find(raw);
      if (assignment === undefined) throw new Error('the document to apply was not accepted');
      return assignment;
    },
  };
}

function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

const NO_INSTANCE: InstanceFacts = { platform: 'file', addresses: [], tags: {} };

function neededBy({ pending, work, orders }: DaemonState): Set<string | undefined> {
  const ofWork = work !== undefined && 'raw' in work ? work.raw : undefined;
  const ofOrders = orders.map((order) => (order.what === 'apply' ? order.raw : undefined));
  return new Set([pending?.raw, ofWork, ...ofOrders]);
}
