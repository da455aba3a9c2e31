// cluster/kubernetes/connect.ts: which API server, with which credentials, and how is each request sent?
import type {
  AppsV1Api,
  CertificatesV1Api,
  ConfigurationOptions,
  CoordinationV1Api,
  CoreV1Api,
  KubeConfig,
  RbacAuthorizationV1Api,
  RequestContext,
} from '@kubernetes/client-node';
import type { Clock } from '../../base/clock.ts';
import { shellWord } from '../../base/shell-word.ts';
import { isTraced, trace } from '../../base/trace.ts';
import { clusterLoginFailure, type KubeEndpoint, type KubeRequest, translate } from './failures.ts';
import { type KubeconfigOptions, openKubeconfig } from './open-kubeconfig.ts';

export interface KubeConnectOptions extends KubeconfigOptions {
  /** For the Lease, the Secret and the helper pod; default: the context's. */
  namespace?: string | undefined;
  clock: Clock;
}

export interface CallExtras {
  signal?: AbortSignal | undefined;
  contentType?: string;
  onHeaders?: (headers: Readonly<Record<string, string>>) => void;
}

export interface Client {
  core: CoreV1Api;
  coordination: CoordinationV1Api;
  apps: AppsV1Api;
  certificates: CertificatesV1Api;
  rbac: RbacAuthorizationV1Api;
  namespace: string;
  clock: Clock;
  endpoint: KubeEndpoint;
  /** Sends one request with a deadline and translates its errors. */
  call<T>(request: KubeRequest, send: (options: ConfigurationOptions) => Promise<T>, extras?: CallExtras): Promise<T>;
  /** Like `call`; undefined if the object does not exist. */
  find<T>(
    request: KubeRequest,
    send: (options: ConfigurationOptions) => Promise<T>,
    extras?: CallExtras,
  ): Promise<T | undefined>;
}

export const MERGE_PATCH = 'application/merge-patch+json';
const REQUEST_MS = 30_000;
/** Certificates and proxies may change during a long run, so connections are reused only this long. */
const KEEP_CONNECTIONS_MS = 5 * 60_000;

export async function connectCluster(options: KubeConnectOptions): Promise<Client> {
  const library = await import('@kubernetes/client-node');
  const config = openKubeconfig(library.KubeConfig, options);
  const keepConnections = connectionKeeper(options.clock);
  const endpoint = endpointOf(config, options);

  function withExtras({ signal, contentType, onHeaders }: CallExtras, sent: SentRequest): ConfigurationOptions {
    const deadline = AbortSignal.timeout(REQUEST_MS);
    const now = <T>(value: T) => new library.Observable(Promise.resolve(value));
    return {
      middlewareMergeStrategy: 'append',
      middleware: [
        {
          pre: (request) => {
            // A change on its way is not aborted: whether it took effect would be unknown.
            const mayAbort = signal && String(request.getHttpMethod()) === 'GET';
            request.setSignal(mayAbort ? AbortSignal.any([signal, deadline]) : deadline);
            if (contentType) request.setHeaderParam('Content-Type', contentType);
            keepConnections(request);
            sent.request = `${request.getHttpMethod()} ${request.getUrl().replace(endpoint.server, '')}`;
            sent.atMs = performance.now();
            return now(request);
          },
          post: (response) => {
            traceEnd(sent, String(response.httpStatusCode));
            onHeaders?.(response.headers);
            return now(response);
          },
        },
      ],
    };
  }

  const call: Client['call'] = async (request, send, extras = {}) => {
    extras.signal?.throwIfAborted();
    const sent: SentRequest = {};
    try {
      return await send(withExtras(extras, sent));
    } catch (error) {
      traceEnd(sent, 'no answer');
      extras.signal?.throwIfAborted();
      const failure = translate(error, request, endpoint);
      const program = config.getCurrentUser()?.exec?.command;
      const isSent = sent.atMs !== undefined;
      throw program !== undefined && !isSent && failure === error
        ? clusterLoginFailure(failure, program, endpoint)
        : failure;
    }
  };

  return {
    core: config.makeApiClient(library.CoreV1Api),
    coordination: config.makeApiClient(library.CoordinationV1Api),
    apps: config.makeApiClient(library.AppsV1Api),
    certificates: config.makeApiClient(library.CertificatesV1Api),
    rbac: config.makeApiClient(library.RbacAuthorizationV1Api),
    namespace: options.namespace ?? config.getContextObject(config.getCurrentContext())?.namespace ?? 'default',
    clock: options.clock,
    endpoint,
    call,
    find: (request, send, extras) =>
      call(request, (settings) => send(settings).catch((error: unknown) => ifMissing(error)), extras),
  };
}

/** Set when the request is sent. */
interface SentRequest {
  request?: string;
  atMs?: number;
}

/** Traces each request once: an error response is traced first and then thrown. */
function traceEnd(sent: SentRequest, outcome: string): void {
  if (sent.request === undefined || sent.atMs === undefined) return;
  if (isTraced()) trace('kubernetes', `${sent.request}: ${outcome} in ${Math.round(performance.now() - sent.atMs)} ms`);
  delete sent.request;
}

function endpointOf(config: KubeConfig, { kubeconfig, context }: KubeConnectOptions): KubeEndpoint {
  const current = config.getCurrentContext();
  const isPod = current === 'inClusterContext';
  const flags = [
    ...(kubeconfig === undefined ? [] : ['--kubeconfig', kubeconfig]),
    ...(context === undefined ? [] : ['--context', context]),
  ];
  return {
    server: config.getCurrentCluster()?.server ?? '',
    context: current,
    user: config.getCurrentUser()?.name ?? '(none)',
    kubeconfig:
      kubeconfig ??
      (isPod ? "this pod's service account" : 'the kubeconfig of kubectl (KUBECONFIG, or ~/.kube/config)'),
    kubectl: ['kubectl', ...flags].map(shellWord).join(' '),
  };
}

function ifMissing(error: unknown): undefined {
  if (error instanceof Error && 'code' in error && error.code === 404) return undefined;
  throw error;
}

/** The client creates a connection pool, and so a TLS handshake, per request. This reuses the first pool. */
function connectionKeeper(clock: Clock): (request: RequestContext) => void {
  let kept: { connections: ReturnType<RequestContext['getDispatcher']>; sinceMs: number } | undefined;
  return (request) => {
    if (!kept || clock.nowMs() - kept.sinceMs > KEEP_CONNECTIONS_MS) {
      kept = { connections: request.getDispatcher(), sinceMs: clock.nowMs() };
    }
    if (kept.connections) request.setDispatcher(kept.connections);
  };
}
