// vms/azure/connect/request-policy.ts: the pipeline policy for every request: pins the API version, retries on our clock, records and traces responses.

import type { PipelinePolicy, PipelineResponse } from '@azure/core-rest-pipeline';
import type { CallOptions } from '../../../base/call-options.ts';
import type { Clock } from '../../../base/clock.ts';
import { TooLate } from '../../../base/failures.ts';
import { trace } from '../../../base/trace.ts';
import { isOperationAddress, pinApiVersion } from './api-versions.ts';
import { nextTry, type RequestOutcome } from './retry.ts';
import type { AzureSettings } from './settings.ts';
import { type AzureResponse, isLoginUnreachable } from './translate-errors.ts';
import { networkFailureOf, patienceWith, Unreached } from './unreached.ts';

/** A request without a response must not block a run while its donor is out of service. */
const answerTimeoutMs = 120_000;
/** Azure's usual poll interval for operations. */
const lostHintMs = 15_000;

export function requestPolicy(deps: {
  clock: Clock;
  options: CallOptions;
  seen: (answer: AzureResponse) => void;
  settings: Pick<AzureSettings, 'endpoint' | 'endpointFrom'>;
  /** Origins that have responded to this process. */
  answered: Set<string>;
  dropToken: (token: string) => void;
}): PipelinePolicy {
  const { clock, options, seen, settings, answered, dropToken } = deps;
  return {
    name: 'headstart-conversation',
    async sendRequest(request, next) {
      request.url = pinApiVersion(request.url);
      request.timeout = answerTimeoutMs;
      // A change on its way is not aborted: whether it took effect would be unknown.
      if (options.signal && isRead(request.method)) request.abortSignal = options.signal;
      const fence = isRead(request.method) ? undefined : options.fence;
      let hasFreshToken = false;
      for (let tries = 1; ; tries++) {
        options.signal?.throwIfAborted();
        // Asked before every try: the machine may have slept, and others may have changed the pool meanwhile.
        if (fence && fence.leftMs() <= 0)
          throw new TooLate(`${request.method} was not sent to Azure: the time in which it was allowed is over`);
        const { outcome, finish } = await oneTry();
        if (isUnauthenticated(outcome) && !hasFreshToken) {
          trace('azure', 'retry with a fresh token');
          hasFreshToken = true;
          dropToken(request.headers.get('authorization')?.replace(/^Bearer /i, '') ?? '');
          continue;
        }
        const retry = nextTry(outcome, tries, clock.nowMs());
        if (!retry) return finish();
        // The lost response may have contained a longer Retry-After.
        const waitMs = isOperationAddress(request.url) ? Math.max(retry.waitMs, lostHintMs) : retry.waitMs;
        // The caller has to look at the pool again first.
        if (fence && waitMs >= fence.leftMs()) return finish();
        trace('azure', `retry in ${waitMs / 1000} s: ${retry.why}`);
        options.onWaiting?.(`${retry.why}: retrying in ${Math.ceil(waitMs / 1000)} s`);
        await clock.sleep(waitMs, options.signal);
      }

      async function oneTry(): Promise<{ outcome: RequestOutcome; finish: () => PipelineResponse }> {
        const beganMs = clock.nowMs();
        const traceOutcome = (outcome: string) =>
          trace('azure', `${request.method} ${shownUrl(request.url, settings.endpoint)}: ${outcome}`);
        try {
          const response = await next(request);
          const answer = answerOf(response);
          answered.add(originOf(request.url));
          const requestId = answer.headers['x-ms-request-id'];
          traceOutcome(`${answer.status} in ${clock.nowMs() - beganMs} ms${requestId ? `, request ${requestId}` : ''}`);
          return {
            outcome: { kind: 'answer', status: answer.status, headers: answer.headers },
            finish: () => {
              seen(answer);
              return response;
            },
          };
        } catch (thrown) {
          options.signal?.throwIfAborted();
          const unreached = unreachedOf(thrown, request.url);
          traceOutcome(
            `no response in ${clock.nowMs() - beganMs} ms (${unreached ? unreached.name : 'failed before it was sent'})`,
          );
          if (!unreached) throw thrown;
          return {
            outcome: {
              kind: 'no-answer',
              ...(unreached instanceof Unreached && {
                patience: patienceWith(unreached.facts),
                why: unreached.message,
              }),
            },
            finish: () => {
              throw unreached;
            },
          };
        }
      }

      function unreachedOf(thrown: unknown, url: string): Error | undefined {
        if (!(thrown instanceof Error)) return undefined;
        if (thrown instanceof Unreached || isLoginUnreachable(thrown)) return thrown;
        if (!isNetworkFailure(thrown)) return undefined;
        const address = originOf(url);
        return new Unreached({
          service: 'management',
          address,
          setBy: address === originOf(settings.endpoint) ? settings.endpointFrom : undefined,
          failure: networkFailureOf(thrown, answerTimeoutMs),
          // Operations may be on another host: once any Azure host has responded, this failure may be temporary.
          hasAnswered: answered.size > 0,
        });
      }
    },
  };
}

function isUnauthenticated(outcome: RequestOutcome): boolean {
  return outcome.kind === 'answer' && outcome.status === 401;
}

function isRead(method: string): boolean {
  return method === 'GET' || method === 'HEAD';
}

/** Our own timeout appears as an AbortError. */
function isNetworkFailure(thrown: Error): boolean {
  return (
    thrown.name === 'AbortError' || (thrown.name === 'RestError' && !('statusCode' in thrown && thrown.statusCode))
  );
}

function originOf(url: string): string {
  return URL.parse(url)?.origin ?? url;
}

/** Hides the rest of an operation's query, which contains a signature. */
function shownUrl(url: string, endpoint: string): string {
  const short = url.startsWith(`${endpoint}/`) ? url.slice(endpoint.length) : url;
  if (!isOperationAddress(url)) return short;
  const [path, query = ''] = short.split('?', 2) as [string, string?];
  const version = query.split('&').find((pair) => pair.startsWith('api-version='));
  return `${path}?${[version, '…'].filter(Boolean).join('&')}`;
}

function answerOf(response: PipelineResponse): AzureResponse {
  return { status: response.status, headers: response.headers.toJSON(), body: parsed(response.bodyAsText) };
}

function parsed(text: string | null | undefined): unknown {
  if (!text) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // for example a proxy's HTML page: the status must do
  }
}
