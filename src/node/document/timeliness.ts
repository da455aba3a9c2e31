// node/document/timeliness.ts: may this document be applied now? Not before notBefore, not after expires, and not with an older
// generation than the applied one.

import { instantMs } from '../../schema/formats.ts';
import { isObject, type JsonObject } from '../../schema/json.ts';
import type { ReasonCode } from '../reason-codes.ts';
import type { Problem } from './problem.ts';

export interface AppliedDocument {
  generation: number;
  documentHash: string;
}

export interface TimelinessContext {
  nowMs: number;
  documentHash: string;
  applied?: AppliedDocument | undefined;
  /** A person requested this document. */
  allowsOlder?: boolean | undefined;
}

/** A document that is already applied stays in force, even when it has expired. */
export function timelinessProblems(
  { metadata }: JsonObject,
  { nowMs, documentHash, applied, allowsOlder }: TimelinessContext,
): Problem[] {
  if (!isObject(metadata) || documentHash === applied?.documentHash) return [];
  const { generation, notBefore, expires } = metadata;
  const starts = typeof notBefore === 'string' ? instantMs(notBefore) : undefined;
  const ends = typeof expires === 'string' ? instantMs(expires) : undefined;
  const problems: Problem[] = [];
  if (starts !== undefined && nowMs < starts) {
    problems.push(
      problem('config/not-yet', 'metadata.notBefore', `is in the future; it is now ${new Date(nowMs).toISOString()}`),
    );
  }
  if (ends !== undefined && nowMs >= ends) {
    problems.push(
      problem('config/expired', 'metadata.expires', `is in the past; it is now ${new Date(nowMs).toISOString()}`),
    );
  }
  if (applied === undefined || allowsOlder || typeof generation !== 'number') return problems;
  if (generation < applied.generation) {
    const message = `${generation} is lower than the applied generation ${applied.generation}`;
    problems.push(problem('config/generation-backwards', 'metadata.generation', message));
  }
  if (generation === applied.generation) {
    const message = `${generation} is already applied with different content; increase the generation`;
    problems.push(problem('config/generation-reused', 'metadata.generation', message));
  }
  return problems;
}

function problem(reason: ReasonCode, path: string, message: string): Problem {
  return { reason, path, message };
}
