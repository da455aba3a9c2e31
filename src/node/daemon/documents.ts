// node/daemon/documents.ts: the bytes of documents, for as long as somebody may still ask for them. The machine knows them by their sha256.
import { createHash } from 'node:crypto';
import type { ToRead } from './read.ts';
import type { DaemonState } from './state.ts';

export interface Documents {
  /** Its name. Forgets those that nothing in `state` refers to. */
  keep(toRead: ToRead, state: DaemonState): string;
  get(raw: string): ToRead | undefined;
}

export function keepDocuments(): Documents {
  const known = new Map<string, ToRead>();
  return {
    get: (raw) => known.get(raw),
    keep(toRead, { pending, work, orders }) {
      const raw = createHash('sha256').update(toRead.document).digest('hex');
      const needed = new Set([pending?.raw, work?.is === 'reading' ? work.raw : undefined]);
      for (const order of orders) if (order.what === 'apply') needed.add(order.raw);
      for (const one of known.keys()) if (!needed.has(one)) known.delete(one);
      known.set(raw, toRead);
      return raw;
    },
  };
}
