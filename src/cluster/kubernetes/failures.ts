// cluster/kubernetes/failures.ts: what does an error of the API server, or of the way to it, mean in our words?
import { TransientError, UserError } from '../../base/errors.ts';
import { Conflict, Forbidden, NotFound, Throttled } from '../../vms/failures.ts';

/** What was asked, for the message: the server's own text names neither verb nor resource in a form to rely on. */
export interface Asked {
  verb: string;
  resource: string;
  name?: string;
  namespace?: string;
}

/** The server's answer, read from whatever the client threw. */
export interface Answer {
  status: number;
  reason: string;
  causes: { reason: string; message: string }[];
  message: string;
  retryAfterMs?: number;
}

const UNTRUSTED =
  /^(CERT_|DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_|ERR_TLS_|ERR_SSL_|HOSTNAME_MISMATCH)/;
/** `ECONNREFUSED`, `EAI_AGAIN`, undici's own, TLS; not Node's complaints about wrong arguments, which are bugs. */
const OF_NETWORK = new RegExp(`^E(AI_)?[A-Z0-9]+$|^UND_ERR_|${UNTRUSTED.source}`);

export function translate(error: unknown, asked: Asked): Error {
  const answer = answerOf(error);
  if (answer) return fromAnswer(answer, asked);
  const code = networkCode(error);
  if (code !== undefined && UNTRUSTED.test(code)) {
    return new UserError(`the API server's certificate is not trusted (${code})`, {
      code: 'cluster/untrusted',
      kept: 'Nothing was sent.',
      next: 'check the server and its certificate authority in the kubeconfig',
      exitCode: 1,
    });
  }
  if (code !== undefined) {
    return new TransientError(`the API server could not be reached to ${describe(asked)} (${code})`, {
      code: 'cluster/unreachable',
      cause: error,
    });
  }
  return error instanceof Error ? error : new Error(String(error));
}

/** undefined when it was not an answer of the server. */
export function answerOf(error: unknown): Answer | undefined {
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

function fromAnswer(answer: Answer, asked: Asked): Error {
  const { status, reason, message, retryAfterMs } = answer;
  const text = `the API server would not ${describe(asked)}: ${message || reason || `status ${status}`}`;
  // The client's own error repeats headers and body; only what is safe to show is kept.
  const cause = new Error(`${status} ${reason}`.trim());
  if (status === 401)
    return new Forbidden(`the API server did not accept the credentials (to ${describe(asked)})`, cause);
  if (status === 403) return new Forbidden(`no right to ${describe(asked)}: ${message}`, cause);
  if (status === 404) return new NotFound(describe({ ...asked, verb: '' }).trim(), cause);
  if (status === 409 || status === 412) return new Conflict(text, cause);
  if (status === 429) return new Throttled(text, retryAfterMs ?? 1_000, cause);
  if (status === 408 || status === 410 || status >= 500)
    return new TransientError(text, { code: 'cluster/unavailable', cause });
  return new UserError(text, { code: 'cluster/refused', exitCode: 1, cause });
}

export function describe({ verb, resource, name, namespace }: Asked): string {
  return `${verb} ${resource}${name ? ` ${name}` : ''}${namespace ? ` in namespace ${namespace}` : ''}`;
}

function statusObject(body: unknown): Record<string, unknown> {
  if (typeof body !== 'string') return record(body);
  try {
    return record(JSON.parse(body));
  } catch {
    return {}; // a proxy's page, say
  }
}

function causeOf(cause: unknown): Answer['causes'][number] {
  const { reason, message } = record(cause);
  return { reason: typeof reason === 'string' ? reason : '', message: typeof message === 'string' ? message : '' };
}

function record(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}

function retryAfterHeader(error: Error): unknown {
  return 'headers' in error ? record(error.headers)['retry-after'] : undefined;
}

/** `fetch failed` says nothing; the reason is in its cause, possibly one for each address tried. */
function networkCode(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  if (error.name === 'TimeoutError') return 'timeout';
  for (let inner: unknown = error; inner instanceof Error; inner = inner.cause) {
    if ('code' in inner && typeof inner.code === 'string' && OF_NETWORK.test(inner.code)) return inner.code;
  }
  return error instanceof TypeError && error.message === 'fetch failed' ? 'no connection' : undefined;
}
