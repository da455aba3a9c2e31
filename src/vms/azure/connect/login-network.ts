// vms/azure/connect/login-network.ts: record network failures of the login service. The identity library reports only "endpoints_resolution_error".
import type { PipelinePolicy } from '@azure/core-rest-pipeline';
import { type NetworkFailure, networkFailure } from '../../../base/network-failure.ts';
import { isTraced, trace } from '../../../base/trace.ts';

export interface LoginNetwork {
  policy: PipelinePolicy;
  /** The last failure since the previous call, cleared by a later response. */
  takeFailure(): NetworkFailure | undefined;
  hasAnswered(): boolean;
}

export function watchLogin(): LoginNetwork {
  let failure: NetworkFailure | undefined;
  let hasAnswered = false;
  return {
    hasAnswered: () => hasAnswered,
    takeFailure: () => {
      const taken = failure;
      failure = undefined;
      return taken;
    },
    policy: {
      name: 'headstart-login-network',
      async sendRequest(request, next) {
        const beganMs = performance.now();
        const traceOutcome = (outcome: string | number) => {
          if (!isTraced()) return;
          const { origin, pathname } = new URL(request.url);
          const tookMs = Math.round(performance.now() - beganMs);
          trace('azure', `${request.method} ${origin}${pathname}: ${outcome} in ${tookMs} ms`);
        };
        try {
          const response = await next(request);
          hasAnswered = true;
          failure = undefined;
          traceOutcome(response.status);
          return response;
        } catch (thrown) {
          failure = networkFailure(thrown);
          traceOutcome(failure ? `no response: it ${failure.reason}` : 'failed');
          throw thrown;
        }
      },
    },
  };
}
