// node/daemon/read-assignment.ts: can the delivered bytes be applied to this node? Returns an assignment, or the reason
// why not.

import { renderProblem } from '../../schema/problem.ts';
import type { Assignment } from '../apply/contract.ts';
import {
  type AcceptedDocument,
  type DocumentContext,
  parseDocument,
  type RefusedDocument,
} from '../document/document.ts';
import type { Facts, InstanceFacts } from '../observe/facts.ts';
import type { Why } from './state.ts';

export interface UnreadDocument {
  document: Uint8Array;
  instance: InstanceFacts;
  origin: string;
}

/** Read again each time, because override files may have changed. */
export type NodeContext = Pick<DocumentContext, 'machine' | 'overrides'> & { image: Facts['image'] };

export type ReadResult =
  | { assignment: Assignment; warnings: AcceptedDocument['warnings'] }
  | { refused: RefusedDocument; why: Why };

export async function readAssignment(
  { document, instance, origin }: UnreadDocument,
  context: NodeContext,
  reading: Pick<DocumentContext, 'nowMs' | 'applied' | 'allowsOlder' | 'maxBytes'>,
): Promise<ReadResult> {
  const parsed = await parseDocument(document, { ...context, ...reading });
  if (parsed.outcome === 'refused') return { refused: parsed, why: whyOf(parsed) };
  const { config, documentHash, hash, warnings } = parsed;
  const facts: Facts = { image: context.image, machine: context.machine, instance };
  return { assignment: { document, documentHash, hash, config, facts, origin }, warnings };
}

function whyOf({ reason, problems }: RefusedDocument): Why {
  const [first, ...others] = problems;
  const more = others.length > 0 ? `, and ${others.length} more` : '';
  return { code: reason, detail: `${first ? renderProblem(first) : 'it cannot be read'}${more}` };
}
