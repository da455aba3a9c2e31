// vms/azure/connect/connection.ts: how does one call reach Azure? Typed and raw requests go through one pipeline, and their failures come out in our kinds.

import type { ComputeManagementClient } from '@azure/arm-compute';
import type { HttpClient } from '@azure/core-rest-pipeline';
import type { TokenCredential } from '@azure/identity';
import type { CallOptions, WaitReporter } from '../../../base/call-options.ts';
import type { Clock } from '../../../base/clock.ts';
import { conversation } from './conversation.ts';
import type { AzureSettings } from './settings.ts';
import { keepToken } from './token.ts';
import { type Answer, failureOf, failureWithoutAnswer } from './translate-errors.ts';

export interface AzureDeps {
  clock: Clock;
  credential: TokenCredential;
  /** The certificate authority to trust in place of the usual ones (the simulator's). */
  caPem?: string;
  /** In place of the network. */
  httpClient?: HttpClient;
  /** Told of the waits of calls that nobody listens to. */
  onWaiting?: WaitReporter;
}

/** "stopping" · "instance 3 of pool1". */
export interface Order {
  verb: string;
  thing: string;
}

export interface RawRequest {
  method: 'GET' | 'PATCH';
  /** An id with its query, or a whole address the service gave us. */
  url: string;
  body?: unknown;
  headers?: Readonly<Record<string, string>>;
}

/** One order or question of ours: however many requests it takes, its waits are told to one listener. */
export interface Call {
  readonly clock: Clock;
  readonly settings: AzureSettings;
  readonly signal: AbortSignal | undefined;
  compute(subscriptionId: string): ComputeManagementClient;
  /** Gives every answer, failures too; throws only when there is none. */
  send(request: RawRequest, what: string): Promise<Answer>;
  /** A typed request, its failure translated. */
  ask<T>(what: string, run: () => Promise<T>): Promise<T>;
  /** A typed order of which only the first answer is awaited. */
  begin(order: Order, start: () => { submitted(): Promise<void> }): Promise<Answer>;
  waiting(what: string, percent?: number): void;
}

export interface Connection {
  open(options?: CallOptions): Promise<Call>;
}

export function connect(settings: AzureSettings, deps: AzureDeps): Connection {
  const { clock } = deps;
  const credential = keepToken(deps.credential, clock);
  // One object for all clients: connections are pooled by its identity.
  const tlsOptions = deps.caPem ? { ca: deps.caPem } : undefined;
  const answered = new Set<string>();
  let loaded: Promise<Sdk> | undefined;

  return {
    async open(asked = {}) {
      const options: CallOptions = { ...(deps.onWaiting && { onWaiting: deps.onWaiting }), ...asked };
      loaded ??= loadSdk(deps.httpClient);
      const sdk = await loaded;
      options.signal?.throwIfAborted();
      const seen: { last?: Answer } = {};
      const lastAnswer = (): Answer | undefined => seen.last;
      const policy = conversation({
        clock,
        options,
        seen: (answer) => (seen.last = answer),
        settings,
        answered,
      });
      const clients = new Map<string, ComputeManagementClient>();

      const compute = (subscriptionId: string): ComputeManagementClient => {
        const known = clients.get(subscriptionId);
        if (known) return known;
        const client = new sdk.ComputeManagementClient(credential, subscriptionId, {
          endpoint: settings.endpoint,
          credentials: { scopes: [`${settings.audience}/.default`] },
          retryOptions: { maxRetries: 0 },
          userAgentOptions: { userAgentPrefix: 'headstart' },
          httpClient: sdk.httpClient,
          ...(tlsOptions && { tlsOptions }),
        });
        // Outside the login, so that every try carries a token that is good by then.
        client.pipeline.addPolicy(policy, { beforePolicies: ['bearerTokenAuthenticationPolicy'] });
        clients.set(subscriptionId, client);
        return client;
      };

      const translated = async <T>(what: string, run: () => Promise<T>, thing = what): Promise<T> => {
        delete seen.last;
        try {
          return await run();
        } catch (thrown) {
          options.signal?.throwIfAborted();
          // The answer itself says more than the error the SDK made of it.
          const answer = lastAnswer();
          if (answer && answer.status >= 400) throw failureOf(answer, what, clock.nowMs(), thing);
          throw failureWithoutAnswer(thrown, what);
        }
      };

      return {
        clock,
        settings,
        signal: options.signal,
        compute,
        ask: (what, run) => translated(what, run),
        waiting: (what, percent) => options.onWaiting?.(what, percent),
        async begin({ verb, thing }, start) {
          await translated(`${verb} ${thing}`, () => start().submitted(), thing);
          if (!seen.last) throw new Error(`${verb} ${thing}: the SDK sent nothing`);
          return seen.last;
        },
        async send(request, what) {
          const url = request.url.startsWith('/') ? `${settings.endpoint}${request.url}` : request.url;
          await translated(what, () =>
            compute(settings.subscriptionId).pipeline.sendRequest(
              sdk.httpClient,
              sdk.createPipelineRequest({
                url,
                method: request.method,
                headers: sdk.createHttpHeaders({
                  accept: 'application/json',
                  ...(request.body !== undefined && { 'content-type': 'application/json' }),
                  ...request.headers,
                }),
                ...(request.body !== undefined && { body: JSON.stringify(request.body) }),
                ...(options.signal && { abortSignal: options.signal }),
              }),
            ),
          );
          if (!seen.last) throw new Error(`${what}: nothing was sent`);
          return seen.last;
        },
      };
    },
  };
}

interface Sdk {
  ComputeManagementClient: typeof ComputeManagementClient;
  createPipelineRequest: typeof import('@azure/core-rest-pipeline').createPipelineRequest;
  createHttpHeaders: typeof import('@azure/core-rest-pipeline').createHttpHeaders;
  httpClient: HttpClient;
}

async function loadSdk(httpClient: HttpClient | undefined): Promise<Sdk> {
  const [compute, pipeline] = await Promise.all([import('@azure/arm-compute'), import('@azure/core-rest-pipeline')]);
  return {
    ComputeManagementClient: compute.ComputeManagementClient,
    createPipelineRequest: pipeline.createPipelineRequest,
    createHttpHeaders: pipeline.createHttpHeaders,
    httpClient: httpClient ?? pipeline.createDefaultHttpClient(),
  };
}
