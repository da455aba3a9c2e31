// vms/azure/connect/operations.ts: wait for a long-running operation. The SDK's pollers sleep on the wall clock and lose the error's code.
import { TransientError } from '../../../base/errors.ts';
import { parseRetryAfter } from '../../../base/retry-after.ts';
import type { AzureCall, AzureOperation } from './connection.ts';
import { type AzureResponse, failureOfResponse, operationFailure } from './translate-errors.ts';

/** Without a Retry-After header. Status requests have a separate rate limit. */
const defaultPollMs = 10_000;
/** Lower limit, in case Retry-After is 0. */
const leastPollMs = 1_000;

/** Starts an operation and waits for its end. `start` calls the SDK, which sends only the first request. */
export async function runOperation(
  call: AzureCall,
  order: AzureOperation,
  start: () => { submitted(): Promise<void> },
): Promise<void> {
  await awaitOperation(call, order, await call.begin(order, start));
}

/** Polls the operation that `first` started. Returns when it succeeds, throws when it fails. */
export async function awaitOperation(call: AzureCall, order: AzureOperation, first: AzureResponse): Promise<void> {
  const beganMs = call.clock.nowMs();
  for (let answer: AzureResponse | undefined = first; answer; ) {
    const elapsedS = Math.round((call.clock.nowMs() - beganMs) / 1000);
    call.waiting(`${order.verb} ${order.thing}${elapsedS > 0 ? ` (${elapsedS} s)` : ''}`);
    answer = await pollOnce(call, order, answer);
  }
}

/** For operations that take hours: polls once, because an impossible request fails within seconds of being accepted. */
export async function checkAccepted(call: AzureCall, order: AzureOperation, first: AzureResponse): Promise<void> {
  call.waiting(`${order.verb} ${order.thing}`);
  await pollOnce(call, order, first);
}

/** Waits for the last response's Retry-After, then polls. Undefined when the operation has succeeded. */
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
  // A missing operation record does not tell whether the operation succeeded.
  if (answer.status === 404)
    throw new TransientError(`${what}: Azure no longer has a record of the operation`, {
      code: 'vms/operation-failed',
    });
  if (answer.status >= 400) throw failureOfResponse(answer, what, call.clock.nowMs());
  switch (stateOf(answer, address.kind)) {
    case 'succeeded':
      return undefined;
    case 'failed':
      throw operationFailure(answer.body, what);
    case 'running':
      // Status responses seldom repeat the operation's URL.
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
    // Per the protocol, no status means done.
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
