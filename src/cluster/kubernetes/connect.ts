// cluster/kubernetes/connect.ts: which API server, as whom, and how is every request to it made?
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
import { UserError } from '../../base/errors.ts';
import { didYouMean, fewNames } from '../../base/nearest-names.ts';
import { shellWord } from '../../base/shell-word.ts';
import { isTraced, trace } from '../../base/trace.ts';
import { clusterLoginFailure, type KubeEndpoint, type KubeRequest, translate } from './failures.ts';

export interface KubeConnectOptions {
  /** A file; without it what kubectl would take: KUBECONFIG, then the home folder, then the pod's own account. */
  kubeconfig?: string | undefined;
  context?: string | undefined;
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
  /** Makes one request with a deadline; whatever it throws is in our words. */
  call<T>(request: KubeRequest, send: (options: ConfigurationOptions) => Promise<T>, extras?: CallExtras): Promise<T>;
  /** undefined for what does not exist. */
  find<T>(
    request: KubeRequest,
    send: (options: ConfigurationOptions) => Promise<T>,
    extras?: CallExtras,
  ): Promise<T | undefined>;
}

export const MERGE_PATCH = 'application/merge-patch+json';
const REQUEST_MS = 30_000;
/** Certificates and proxies may change under a long run; connections are kept this long. */
const KEEP_CONNECTIONS_MS = 5 * 60_000;

export async function connectCluster(options: KubeConnectOptions): Promise<Client> {
  const library = await import('@kubernetes/client-node');
  const config = new library.KubeConfig();
  load(config, options);
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
            request.setSignal(signal ? AbortSignal.any([signal, deadline]) : deadline);
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

/** Of one request: what it is, once it has been made. */
interface SentRequest {
  request?: string;
  atMs?: number;
}

/** Once for each request: an answer that is a failure is thrown after it was traced. */
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

/** The client makes a new pool of connections for each request, which means a handshake for each; the first one is kept instead. */
function connectionKeeper(clock: Clock): (request: RequestContext) => void {
  let kept: { connections: ReturnType<RequestContext['getDispatcher']>; sinceMs: number } | undefined;
  return (request) => {
    if (!kept || clock.nowMs() - kept.sinceMs > KEEP_CONNECTIONS_MS) {
      kept = { connections: request.getDispatcher(), sinceMs: clock.nowMs() };
    }
    if (kept.connections) request.setDispatcher(kept.connections);
  };
}

function load(config: KubeConfig, { kubeconfig, context }: KubeConnectOptions): void {
  try {
    if (kubeconfig === undefined) config.loadFromDefault();
    else config.loadFromFile(kubeconfig);
  } catch (error) {
    // A parser quotes what it stumbled over, and a kubeconfig holds credentials.
    const code = error instanceof Error && 'code' in error ? `cannot be read (${error.code})` : 'is not a kubeconfig';
    throw unusable(`${kubeconfig ?? 'the kubeconfig'} ${code}`);
  }
  if (context !== undefined) {
    if (!config.getContextObject(context)) {
      const names = config.getContexts().map(({ name }) => name);
      throw unusable(
        `there is no context "${context}" in the kubeconfig; there is ${fewNames(names)}${didYouMean(context, names)}`,
      );
    }
    config.setCurrentContext(context);
  }
  // The library invents a server on this host when it finds none.
  if (!config.getCurrentCluster() || config.getCurrentContext() === 'loaded-context') {
    throw unusable('no cluster is configured');
  }
  const { server } = config.getCurrentCluster()!;
  if (!/^https?:$/.test(URL.parse(server)?.protocol ?? '')) {
    throw unusable(
      `the server of context ${config.getCurrentContext()} is ${JSON.stringify(server)}, not an address such as https://HOST:6443`,
    );
  }
}

function unusable(message: string): UserError {
  return new UserError(message, {
    code: 'cluster/no-kubeconfig',
    kept: 'Nothing was touched.',
    next: 'name the cluster with --kubeconfig and --context',
  });
}
