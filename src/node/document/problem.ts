// node/document/problem.ts: what is a problem of a node config: its path, message and reason code?
import type { Remark } from '../../schema/problem.ts';
import type { ReasonCode } from '../reason-codes.ts';

/** Does not refuse the document. */
export type Warning = Remark;

export interface Problem extends Remark {
  reason: ReasonCode;
}

export function invalid(found: readonly Remark[]): Problem[] {
  return found.map((remark) => ({ reason: 'config/invalid', ...remark }));
}
