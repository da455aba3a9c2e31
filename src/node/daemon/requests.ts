// node/daemon/requests.ts: which requests does the socket accept, and what does it answer?
import { isObject, type JsonObject } from '../../schema/json.ts';
import type { NodeStatus } from '../status/node-status.ts';
import type { SocketRequestHandler } from '../triggers/socket.ts';
import type { Daemon, OrderRequest } from './loop.ts';
import type { OrderResult } from './state.ts';

/** `origin`: the file and the user, for display. */
export type DaemonRequest =
  | { do: 'status' }
  | { do: 'look' }
  | { do: 'join' }
  | { do: 'apply'; document?: string; origin: string }
  | { do: 'roll-back'; to?: number }
  | { do: 'keep' };

export interface OrderAnswer {
  /** Undefined: nothing was started, see `code`. */
  kind?: string;
  code: string;
  reason: string;
  changes?: number;
}

export function answerRequests(daemon: Daemon, status: () => NodeStatus): SocketRequestHandler {
  return async (request) => {
    if (request.do === 'status') return { status: status() };
    if (request.do === 'look') {
      daemon.signal('the socket');
      return { status: status() };
    }
    if (request.do === 'join') {
      daemon.join();
      return { status: status() };
    }
    const order = orderIn(request);
    if (order === undefined) return { error: { code: 'node/bad-request', message: 'unknown request' } };
    return { ...toAnswer(await daemon.order(order)), status: status() };
  };
}

function orderIn(request: JsonObject): OrderRequest | undefined {
  const { do: what, document, origin, to } = request;
  if (what === 'keep') return { what };
  if (what === 'roll-back') {
    return to === undefined || (typeof to === 'number' && Number.isSafeInteger(to) && to > 0)
      ? { what, to }
      : undefined;
  }
  if (what !== 'apply' || typeof origin !== 'string') return undefined;
  if (document === undefined) return { what, origin };
  return typeof document === 'string' ? { what, origin, document: Buffer.from(document, 'base64') } : undefined;
}

function toAnswer(answer: OrderResult): { result: OrderAnswer } | { error: object } {
  if ('error' in answer) return answer;
  if ('refused' in answer) return { result: { code: answer.refused.code, reason: answer.refused.detail } };
  const { kind, code, reason, plan } = answer.outcome;
  return { result: { kind, code, reason, ...(plan && { changes: plan.changes.length }) } };
}

export function resultIn(answer: JsonObject): OrderAnswer | undefined {
  const { result } = answer;
  if (!isObject(result) || typeof result.code !== 'string' || typeof result.reason !== 'string') return undefined;
  const { kind, code, reason, changes } = result;
  return {
    code,
    reason,
    ...(typeof kind === 'string' && { kind }),
    ...(typeof changes === 'number' && { changes }),
  };
}
