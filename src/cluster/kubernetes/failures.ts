// cluster/kubernetes/failures.ts: translates errors of the API server and of the connection to it.
import { TransientError, UserError } from '../../base/errors.ts';
import { Conflict, Forbidden, NotFound, Throttled } from '../../base/failures.ts';
import {
  certificateAdvice,
  isAboutCertificate,
  type NetworkFailure,
  networkFailure,
} from '../../base/network-failure.ts';

/** The request, for messages: the server's own text does not reliably name verb and resource. */
export interface KubeRequest {
  verb: string;
  resource: string;
  name?: string;
  namespace?: string;
}

/** The error response of the server, from the client's exception. */
export interface KubeErrorResponse {
  status: number;
  reason: string;
  causes: { reason: string; message: string }[];
  message: string;
  retryAfterMs?: number;
}

/** The API server and how it was configured, for messages. */
export interface KubeEndpoint {
  server: string;
  context: string;
  /** The user of the context. */
  user: string;
  /** The file, or a description of where it comes from. */
  kubeconfig: string;
  /** The kubectl command for the same server: `kubectl --context prod`. */
  kubectl: string;
}

export function translate(error: unknown, request: KubeRequest, endpoint?: KubeEndpoint): Error {
  const response = errorResponseOf(error);
  if (response) return fromErrorResponse(response, request, endpoint);
  const unreadable = fileFailure(error, endpoint);
  if (unreadable) return unreadable;
  const failure = failureOf(error);
  if (!failure) return error instanceof Error ? error : new Error(String(error));
  const where = endpoint ? ` ${endpoint.server}` : '';
  const whose = endpoint ? `; it is the server of ${nameOf(endpoint)}` : '';
  const message = `could not ${describeRequest(request)}: the API server${where} ${failure.reason}${whose}`;
  if (isAboutCertificate(failure)) {
    return new UserError(message, {
      code: 'cluster/untrusted',
      kept: 'Nothing was sent.',
      next: certificateAdvice(
        failure,
        `put the authority that signed it into the cluster's certificate-authority of ${endpoint?.kubeconfig ?? 'the kubeconfig'}`,
      ),
      exitCode: 1,
    });
  }
  return new TransientError(message, {
    code: 'cluster/unreachable',
    next: endpoint
      ? `check that \`${endpoint.kubectl} get nodes\` works; name another cluster with --kubeconfig and --context`
      : 'check that `kubectl get nodes` works',
    cause: error,
  });
}

/**
 * A kubeconfig names files (certificates, keys) and a login program. The client reads them repeatedly, so one failed read, as
 * during a rotation, may be transient: a run with a donor out of service must not fail on it.
 */
function fileFailure(error: unknown, endpoint: KubeEndpoint | undefined): TransientError | undefined {
  const { code, path, syscall } = record(error);
  if (typeof code !== 'string' || typeof path !== 'string' || typeof syscall !== 'string') return undefined;
  const from = endpoint ? nameOf(endpoint) : 'the kubeconfig';
  if (syscall.startsWith('spawn')) {
    return new TransientError(`could not log in to the cluster as ${from} says: ${path} cannot be run (${code})`, {
      code: 'cluster/login-failed',
      next: `install ${path}, then run the same command again`,
      cause: error,
    });
  }
  return new TransientError(`${from} names ${path}, which cannot be read (${code})`, {
    code: 'cluster/no-kubeconfig',
    next: 'correct the kubeconfig, or name another one with --kubeconfig',
    cause: error,
  });
}

/** The login program of a kubeconfig failed. The client's message is the program's stderr. */
export function clusterLoginFailure(error: Error, program: string, endpoint: KubeEndpoint): UserError {
  const why = error.message.trim().split('\n', 1)[0] || 'it gave no reason';
  return loginFailed(
    `${program} failed: ${why}`,
    nameOf(endpoint),
    `check that \`${endpoint.kubectl} get nodes\` works`,
  );
}

function loginFailed(why: string, from: string, next: string): UserError {
  return new UserError(`could not log in to the cluster as ${from} says: ${why}`, {
    code: 'cluster/login-failed',
    kept: 'Nothing was sent.',
    next: `${next}, then run the same command again`,
    exitCode: 1,
  });
}

function nameOf({ context, kubeconfig }: KubeEndpoint): string {
  return `context ${context} in ${kubeconfig}`;
}

/** undefined: the error is not a response of the server. */
export function errorResponseOf(error: unknown): KubeErrorResponse | undefined {
  if (!(error instanceof Error) || !('code' in error) || typeof error.code !== 'number' || !('body' in error)) {
    return undefined;
  }
  const status = statusObject(error.body);
  const details = record(status.details);
  const seconds = Number(retryAfterHeader(error) ?? details.retryAfterSeconds);
  return {
    status: error.code,
    reason: typeof status.reason === 'string' ? status.reason : '',
    causes: (Array.isArray(details.causes) ? details.causes : []).map(causeOf),
    message: typeof status.message === 'string' ? status.message : '',
    ...(Number.isFinite(seconds) && seconds > 0 && { retryAfterMs: seconds * 1000 }),
  };
}

function fromErrorResponse(
  response: KubeErrorResponse,
  request: KubeRequest,
  endpoint: KubeEndpoint | undefined,
): Error {
  const { status, reason, message, retryAfterMs } = response;
  const text = `the API server would not ${describeRequest(request)}: ${message || reason || `status ${status}`}`;
  // The client's error contains headers and body; keep only what is safe to show.
  const cause = new Error(`${status} ${reason}`.trim());
  const kubectl = endpoint?.kubectl ?? 'kubectl';
  if (status === 401) {
    const whose = endpoint ? ` of user ${endpoint.user} (${nameOf(endpoint)})` : '';
    const at = endpoint ? ` ${endpoint.server}` : '';
    return new Forbidden(
      `could not ${describeRequest(request)}: the API server${at} did not accept the credentials${whose}`,
      cause,
      `log in to the cluster again, until \`${kubectl} auth whoami\` works, then run the same command again`,
    );
  }
  if (status === 403) {
    const at = endpoint ? ` at ${endpoint.server}` : '';
    return new Forbidden(
      `no right to ${describeRequest(request)}${at}: ${message || `user ${endpoint?.user ?? 'unknown'} is refused`}`,
      cause,
      `grant it: the roles in charts/ contain every right that headstart needs; \`${kubectl} ${canI(request)}\` checks it`,
    );
  }
  // Kubernetes never answers 404 to a list without a reason.
  if (status === 404 && request.verb === 'list' && reason === '') {
    return new UserError(
      `could not ${describeRequest(request)}: ${endpoint?.server ?? 'the server'} is not a Kubernetes API server (it answered 404)`,
      { code: 'cluster/refused', exitCode: 1, cause, next: 'name the cluster with --kubeconfig and --context' },
    );
  }
  if (status === 404) return new NotFound(describeRequest({ ...request, verb: '' }).trim(), cause);
  if (status === 409 || status === 412) return new Conflict(text, cause);
  if (status === 429) return new Throttled(text, retryAfterMs ?? 1_000, cause);
  if (status === 408 || status === 410 || status >= 500)
    return new TransientError(text, { code: 'cluster/unavailable', cause });
  return new UserError(text, { code: 'cluster/refused', exitCode: 1, cause });
}

function canI({ verb, resource, namespace }: KubeRequest): string {
  return `auth can-i ${verb} ${resource}${namespace ? ` -n ${namespace}` : ''}`;
}

export function describeRequest({ verb, resource, name, namespace }: KubeRequest): string {
  return `${verb} ${resource}${name ? ` ${name}` : ''}${namespace ? ` in namespace ${namespace}` : ''}`;
}

function statusObject(body: unknown): Record<string, unknown> {
  if (typeof body !== 'string') return record(body);
  try {
    return record(JSON.parse(body));
  } catch {
    return {}; // for example the error page of a proxy
  }
}

function causeOf(cause: unknown): KubeErrorResponse['causes'][number] {
  const { reason, message } = record(cause);
  return { reason: typeof reason === 'string' ? reason : '', message: typeof message === 'string' ? message : '' };
}

function record(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}

function retryAfterHeader(error: Error): unknown {
  return 'headers' in error ? record(error.headers)['retry-after'] : undefined;
}

/** The reason of `fetch failed` is in its cause. Our own deadline has no code. */
function failureOf(error: unknown): NetworkFailure | undefined {
  if (!(error instanceof Error)) return undefined;
  if (error.name === 'TimeoutError') return { kind: 'interrupted', code: 'timeout', reason: 'did not answer in time' };
  const failure = networkFailure(error);
  if (failure || !(error instanceof TypeError) || error.message !== 'fetch failed') return failure;
  const why = error.cause instanceof Error ? error.cause.message : 'no connection';
  return { kind: 'interrupted', code: 'fetch', reason: `could not be reached (${why})` };
}
