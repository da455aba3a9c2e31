// node/document/problem.ts: what is wrong with a node's document, where, and under which reason code?
import type { Remark } from '../../schema/problem.ts';
import type { ReasonCode } from '../reason-codes.ts';

/** Worth knowing, nothing refused. */
export type Warning = Remark;

export interface Problem extends Remark {
  reason: ReasonCode;
}

/** What a check against the schema found. */
export function invalid(found: readonly Remark[]): Problem[] {
  return found.map((remark) => ({ reason: 'config/invalid', ...remark }));
}
