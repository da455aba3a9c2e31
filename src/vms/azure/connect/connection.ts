// vms/azure/connect/connection.ts: send requests to Azure. Typed and raw requests use one pipeline, which translates failures into our error classes.

import type { ComputeManagementClient } from '@azure/arm-compute';
import type { ResourceManagementClient } from '@azure/arm-resources';
import type { HttpClient, Pipeline } from '@azure/core-rest-pipeline';
import type { TokenCredential } from '@azure/identity';
import type { CallOptions, WaitReporter } from '../../../base/call-options.ts';
import type { Clock } from '../../../base/clock.ts';
import { requestPolicy } from './request-policy.ts';
import type { AzureSettings } from './settings.ts';
import { keepTokens } from './token.ts';
import { type AzureResponse, failureOfResponse, failureWithoutResponse } from './translate-errors.ts';

export interface AzureDeps {
  clock: Clock;
  credential: TokenCredential;
  /** The only certificate authority to trust (the simulator's). Default: the system's. */
  caPem?: string;
  /** Replaces the network in tests. */
  httpClient?: HttpClient;
  /** Used for calls without an `onWaiting` option. */
  onWaiting?: WaitReporter;
}

/** For messages: "stopping" · "instance 3 of pool1". */
export interface AzureOperation {
  verb: string;
  thing: string;
}

export interface RawRequest {
  method: 'GET' | 'PATCH';
  /** A resource id with its query, or a full URL that Azure returned. */
  url: string;
  body?: unknown;
  headers?: Readonly<Record<string, string>>;
}

/** One contract call, which may take several requests; all report their waits to one `onWaiting`. */
export interface AzureCall {
  readonly clock: Clock;
  readonly settings: AzureSettings;
  readonly signal: AbortSignal | undefined;
  compute(subscriptionId: string): ComputeManagementClient;
  /** Runs a request of the generic client, for providers without a package of their own, and returns its response. */
  generic(order: AzureOperation, run: (client: ResourceManagementClient) => Promise<unknown>): Promise<AzureResponse>;
  /** Returns every response, also errors; throws only when there is no response. */
  send(request: RawRequest, what: string): Promise<AzureResponse>;
  /** Runs a typed request and translates its failure. */
  run<T>(what: string, run: () => Promise<T>): Promise<T>;
  /** Starts a typed operation and returns its first response. */
  begin(order: AzureOperation, start: () => { submitted(): Promise<void> }): Promise<AzureResponse>;
  waiting(what: string, percent?: number): void;
}

export interface AzureConnection {
  open(options?: CallOptions): Promise<AzureCall>;
}

export function openConnection(settings: AzureSettings, deps: AzureDeps): AzureConnection {
  const { clock } = deps;
  const credential = keepTokens(deps.credential, clock);
  // One object for all clients: the SDK pools connections by its identity.
  const tlsOptions = deps.caPem ? { ca: deps.caPem } : undefined;
  const answered = new Set<string>();
  let loaded: Promise<Sdk> | undefined;

  return {
    async open(callOptions = {}) {
      const options: CallOptions = { ...(deps.onWaiting && { onWaiting: deps.onWaiting }), ...callOptions };
      loaded ??= loadSdk(deps.httpClient);
      const sdk = await loaded;
      options.signal?.throwIfAborted();
      const seen: { last?: AzureResponse } = {};
      const lastAnswer = (): AzureResponse | undefined => seen.last;
      const policy = requestPolicy({
        clock,
        options,
        seen: (answer) => (seen.last = answer),
        settings,
        answered,
        dropToken: credential.drop,
      });
      const clients = new Map<string, ComputeManagementClient>();

      const clientOptions = {
        endpoint: settings.endpoint,
        credentials: { scopes: [`${settings.audience}/.default`] },
        retryOptions: { maxRetries: 0 },
        userAgentOptions: { userAgentPrefix: 'headstart' },
        httpClient: sdk.httpClient,
        ...(tlsOptions && { tlsOptions }),
      };
      const withPolicy = <C extends { pipeline: Pipeline }>(client: C): C => {
        // Before authentication, so that every retry gets a valid token.
        client.pipeline.addPolicy(policy, { beforePolicies: ['bearerTokenAuthenticationPolicy'] });
        return client;
      };

      const compute = (subscriptionId: string): ComputeManagementClient => {
        const known = clients.get(subscriptionId);
        if (known) return known;
        const client = withPolicy(new sdk.ComputeManagementClient(credential, subscriptionId, clientOptions));
        clients.set(subscriptionId, client);
        return client;
      };

      let genericClient: Promise<ResourceManagementClient> | undefined;
      /** Loaded with the first request: only the verbs of standby pools need it. */
      const generic = () => {
        genericClient ??= import('@azure/arm-resources').then(({ ResourceManagementClient: Client }) =>
          withPolicy(new Client(credential, settings.subscriptionId, clientOptions)),
        );
        return genericClient;
      };

      const translated = async <T>(what: string, run: () => Promise<T>, thing = what): Promise<T> => {
        delete seen.last;
        try {
          return await run();
        } catch (thrown) {
          options.signal?.throwIfAborted();
          // The response has more detail than the SDK's error.
          const answer = lastAnswer();
          if (answer && answer.status >= 400) throw failureOfResponse(answer, what, clock.nowMs(), thing);
          throw failureWithoutResponse(thrown, what);
        }
      };

      return {
        clock,
        settings,
        signal: options.signal,
        compute,
        run: (what, run) => translated(what, run),
        waiting: (what, percent) => options.onWaiting?.(what, percent),
        async begin({ verb, thing }, start) {
          await translated(`${verb} ${thing}`, () => start().submitted(), thing);
          if (!seen.last) throw new Error(`${verb} ${thing}: the SDK sent no request`);
          return seen.last;
        },
        async generic({ verb, thing }, run) {
          const client = await generic();
          await translated(`${verb} ${thing}`, () => run(client), thing);
          if (!seen.last) throw new Error(`${verb} ${thing}: the SDK sent no request`);
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
              }),
            ),
          );
          if (!seen.last) throw new Error(`${what}: no request was sent`);
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
