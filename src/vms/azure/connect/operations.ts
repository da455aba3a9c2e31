// vms/azure/connect/operations.ts: has the operation that this answer began ended, and how? The SDK's pollers would wait on the wall clock and lose the error's code.
import { TransientError } from '../../../base/errors.ts';
import { parseRetryAfter } from '../../../base/retry-after.ts';
import type { AzureCall, AzureOperation } from './connection.ts';
import { type AzureResponse, failureOfResponse, operationFailure } from './translate-errors.ts';

/** Polls no faster than this where the service gives no hint: status calls have a budget of their own. */
const defaultPollMs = 10_000;
/** A hint of nothing still is not a licence for a hot loop. */
const leastPollMs = 1_000;

/** An order, and its end. `start` is a typed order of the SDK, of which only the first request is used. */
export async function runOperation(
  call: AzureCall,
  order: AzureOperation,
  start: () => { submitted(): Promise<void> },
): Promise<void> {
  await awaitOperation(call, order, await call.begin(order, start));
}

/** Follows the operation an answer began; returns when it succeeded, throws what it failed with. */
export async function awaitOperation(call: AzureCall, order: AzureOperation, first: AzureResponse): Promise<void> {
  const beganMs = call.clock.nowMs();
  for (let answer: AzureResponse | undefined = first; answer; ) {
    const elapsedS = Math.round((call.clock.nowMs() - beganMs) / 1000);
    call.waiting(`${order.verb} ${order.thing}${elapsedS > 0 ? ` (${elapsedS} s)` : ''}`);
    answer = await pollOnce(call, order, answer);
  }
}

/** For operations of hours: what cannot be done at all fails within seconds of being accepted, and is worth one look. */
export async function checkAccepted(call: AzureCall, order: AzureOperation, first: AzureResponse): Promise<void> {
  call.waiting(`${order.verb} ${order.thing}`);
  await pollOnce(call, order, first);
}

/** Waits as long as the last answer says, then asks: undefined when the operation has succeeded. */
async function pollOnce(
  call: AzureCall,
  { verb, thing }: AzureOperation,
  last: AzureResponse,
): Promise<AzureResponse | undefined> {
  const what = `${verb} ${thing}`;
  if (last.status >= 400) throw failureOfResponse(last, what, call.clock.nowMs(), thing);
  const address = operationAddress(last);
  if (!address) return undefined;
  await call.clock.sleep(pollDelayMs(last, call.clock.nowMs()), call.signal);
  const answer = await call.send({ method: 'GET', url: address.url }, what);
  // The operation's record is gone, or never was: that says nothing about the thing it worked on.
  if (answer.status === 404)
    throw new TransientError(`${what}: Azure has lost sight of the operation`, { code: 'vms/operation-failed' });
  if (answer.status >= 400) throw failureOfResponse(answer, what, call.clock.nowMs());
  switch (stateOf(answer, address.kind)) {
    case 'succeeded':
      return undefined;
    case 'failed':
      throw operationFailure(answer.body, what);
    case 'running':
      // Answers about an operation seldom repeat where to ask.
      return operationAddress(answer)
        ? answer
        : { ...answer, headers: { ...answer.headers, [address.header]: address.url } };
  }
}

interface OperationAddress {
  kind: 'status' | 'location';
  header: 'azure-asyncoperation' | 'location';
  url: string;
}

function operationAddress(answer: AzureResponse): OperationAddress | undefined {
  const status = answer.headers['azure-asyncoperation'];
  if (status) return { kind: 'status', header: 'azure-asyncoperation', url: status };
  const location = answer.headers.location;
  return location ? { kind: 'location', header: 'location', url: location } : undefined;
}

function stateOf(answer: AzureResponse, kind: OperationAddress['kind']): 'running' | 'succeeded' | 'failed' {
  if (kind === 'location') return answer.status === 202 ? 'running' : 'succeeded';
  switch (statusText(answer.body)) {
    case 'succeeded':
      return 'succeeded';
    case 'failed':
    case 'canceled':
    case 'cancelled':
      return 'failed';
    // No status at all: done, says the protocol.
    case undefined:
      return answer.status === 202 ? 'running' : 'succeeded';
    default:
      return 'running';
  }
}

function statusText(body: unknown): string | undefined {
  if (typeof body !== 'object' || body === null || !('status' in body)) return undefined;
  return typeof body.status === 'string' ? body.status.toLowerCase() : undefined;
}

function pollDelayMs(answer: AzureResponse, nowMs: number): number {
  return Math.max(leastPollMs, parseRetryAfter(answer.headers['retry-after'], nowMs) ?? defaultPollMs);
}
