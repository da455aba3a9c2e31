// vms/azure/conversation.ts: how is one request sent, as often as it takes? Pinned versions, our retries on our clock, every answer seen.
import type { PipelinePolicy, PipelineResponse } from '@azure/core-rest-pipeline';
import type { Clock } from '../../base/clock.ts';
import type { CallOptions } from '../factory.ts';
import { isOperationAddress, pinApiVersion } from './api-versions.ts';
import { nextTry, type Outcome } from './retry.ts';
import { type Answer, isLoginUnreachable } from './translate-errors.ts';

/** A connection that is never answered must not hang a run with a donor out of service. */
const answerTimeoutMs = 120_000;
/** As long as the service usually asks for while an operation runs. */
const lostHintMs = 15_000;

export function conversation(edges: {
  clock: Clock;
  options: CallOptions;
  seen: (answer: Answer) => void;
}): PipelinePolicy {
  const { clock, options, seen } = edges;
  return {
    name: 'headstart-conversation',
    async sendRequest(request, next) {
      request.url = pinApiVersion(request.url);
      request.timeout = answerTimeoutMs;
      if (options.signal) request.abortSignal = options.signal;
      for (let tries = 1; ; tries++) {
        const { outcome, finish } = await oneTry();
        const retry = nextTry(outcome, tries, clock.nowMs());
        if (!retry) return finish();
        // The answer that was lost may have told us when to ask again.
        const waitMs = isOperationAddress(request.url) ? Math.max(retry.waitMs, lostHintMs) : retry.waitMs;
        options.onWaiting?.(`${retry.why}: asking again in ${Math.ceil(waitMs / 1000)} s`);
        await clock.sleep(waitMs, options.signal);
      }

      async function oneTry(): Promise<{ outcome: Outcome; finish: () => PipelineResponse }> {
        try {
          const response = await next(request);
          const answer = answerOf(response);
          return {
            outcome: { kind: 'answer', status: answer.status, headers: answer.headers },
            finish: () => {
              seen(answer);
              return response;
            },
          };
        } catch (thrown) {
          options.signal?.throwIfAborted();
          if (!isNetworkFailure(thrown)) throw thrown;
          return {
            outcome: { kind: 'no-answer' },
            finish: () => {
              throw thrown;
            },
          };
        }
      }
    },
  };
}

/** Our own timeout surfaces as an abort, though nobody asked for one. */
function isNetworkFailure(thrown: unknown): boolean {
  if (!(thrown instanceof Error)) return false;
  if (isLoginUnreachable(thrown)) return true;
  return (
    thrown.name === 'AbortError' || (thrown.name === 'RestError' && !('statusCode' in thrown && thrown.statusCode))
  );
}

function answerOf(response: PipelineResponse): Answer {
  return { status: response.status, headers: response.headers.toJSON(), body: parsed(response.bodyAsText) };
}

function parsed(text: string | null | undefined): unknown {
  if (!text) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // a proxy's page: the status has to do
  }
}
