// node/document/timeliness.ts: is it this document's turn? Not before its time, not after it, and never behind what was applied.

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
  /** A person asked for this document. */
  allowsOlder?: boolean | undefined;
}

/** What is applied already stays in force, expired or not. */
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
      problem('config/not-yet', 'metadata.notBefore', `is later than now, ${new Date(nowMs).toISOString()}`),
    );
  }
  if (ends !== undefined && nowMs >= ends) {
    problems.push(
      problem('config/expired', 'metadata.expires', `is not later than now, ${new Date(nowMs).toISOString()}`),
    );
  }
  if (applied === undefined || allowsOlder || typeof generation !== 'number') return problems;
  if (generation < applied.generation) {
    const message = `${generation} is lower than ${applied.generation}, which is applied`;
    problems.push(problem('config/generation-backwards', 'metadata.generation', message));
  }
  if (generation === applied.generation) {
    const message = `${generation} is applied already, and this document differs from it`;
    problems.push(problem('config/generation-reused', 'metadata.generation', message));
  }
  return problems;
}

function problem(reason: ReasonCode, path: string, message: string): Problem {
  return { reason, path, message };
}
