// boot/export/send-otlp.ts: sends a trace to the OTLP/HTTP collector that the user named. Headers are never printed.
import { type Backoff, pauseMs } from '../../base/backoff.ts';
import { UserError } from '../../base/errors.ts';
import { parseRetryAfter } from '../../base/retry-after.ts';

export interface OtlpRequest {
  url: string;
  headers: Record<string, string>;
  body: string;
}

export interface SendDeps {
  fetch: typeof fetch;
  /** Rejects when the signal fires. */
  sleep(ms: number, signal: AbortSignal): Promise<void>;
  nowMs(): number;
  signal: AbortSignal;
}

export interface SendResult {
  tries: number;
  /** Number of spans that the collector rejected although it accepted the request. */
  rejectedSpans: number;
  reason?: string;
}

const TRIES = 3;
const TIMEOUT_MS = 10_000;
const BACKOFF: Backoff = { firstMs: 1000, maxMs: 30_000, maxRetryAfterMs: 30_000 };
/** As the OTLP specification defines. */
const RETRYABLE = new Set([429, 502, 503, 504]);

type Environment = Readonly<Record<string, string | undefined>>;

/** `target`: a URL, or true for the one in OpenTelemetry's variables. Variables for traces win over those for all signals. */
export function otlpRequest(target: string | true, trace: object, env: Environment): OtlpRequest {
  const { OTEL_EXPORTER_OTLP_TRACES_HEADERS: ofTraces, OTEL_EXPORTER_OTLP_HEADERS: ofAll = '' } = env;
  const headers = ofTraces
    ? parseHeaders('OTEL_EXPORTER_OTLP_TRACES_HEADERS', ofTraces)
    : parseHeaders('OTEL_EXPORTER_OTLP_HEADERS', ofAll);
  return {
    url: target === true ? urlFrom(env) : tracesUrl('--otlp', target),
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(trace),
  };
}

/** The variable for traces is the whole URL; to the general one the specification adds the path of the signal. */
function urlFrom(env: Environment): string {
  const { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: ofTraces, OTEL_EXPORTER_OTLP_ENDPOINT: ofAll } = env;
  if (ofTraces) return tracesUrl('OTEL_EXPORTER_OTLP_TRACES_ENDPOINT', ofTraces);
  if (ofAll) return tracesUrl('OTEL_EXPORTER_OTLP_ENDPOINT', `${ofAll.replace(/\/$/, '')}/v1/traces`);
  throw badTarget('--otlp has no URL, and OTEL_EXPORTER_OTLP_ENDPOINT is not set');
}

export async function sendOtlp(request: OtlpRequest, deps: SendDeps): Promise<SendResult> {
  for (let tries = 1; ; tries++) {
    const response = await post(request, deps);
    if (response.ok) return { tries, ...(await partialSuccess(response)) };
    await response.body?.cancel();
    if (!RETRYABLE.has(response.status)) throw notSent(request.url, `responded with ${response.status}`, tries);
    if (tries === TRIES) throw notSent(request.url, `still responded with ${response.status}`, tries);
    const retryAfterMs = parseRetryAfter(response.headers.get('retry-after'), deps.nowMs());
    await deps.sleep(pauseMs(tries, BACKOFF, { retryAfterMs }), deps.signal).catch((error: unknown) => {
      throw interruptedBy(error, request.url, deps.signal);
    });
  }
}

/** Adds the default path of collectors if the URL has none. */
function tracesUrl(from: string, target: string): string {
  const url = URL.canParse(target) ? new URL(target) : undefined;
  if (!url || (url.protocol !== 'http:' && url.protocol !== 'https:')) {
    throw badTarget(`${from} requires an http or https URL, got '${target.slice(0, 200)}'`);
  }
  if (url.username !== '' || url.password !== '') {
    throw badTarget(
      `${from} does not accept a user name or password in the URL, because process lists and logs show it`,
    );
  }
  if (url.pathname === '/') url.pathname = '/v1/traces';
  return url.href;
}

function badTarget(message: string): UserError {
  return new UserError(message, {
    code: 'boot/bad-otlp-url',
    next: 'write for example --otlp=http://localhost:4318, after the inputs, with credentials in OTEL_EXPORTER_OTLP_HEADERS',
  });
}

/** `name=value,name=value` with percent-encoded values, as OpenTelemetry defines the variable. */
function parseHeaders(variable: string, text: string): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const [i, pair] of text.split(',').entries()) {
    if (pair.trim() === '') continue;
    const at = pair.indexOf('=');
    const name = pair.slice(0, at).trim().toLowerCase();
    const value = decoded(pair.slice(at + 1).trim());
    const isHeader =
      at > 0 && /^[!#$%&'*+.^_`|~0-9a-z-]+$/.test(name) && value !== undefined && /^[\t\x20-\x7e]*$/.test(value);
    // The text may contain a token, so the error gives only the pair's position.
    if (!isHeader) {
      throw new UserError(`${variable}: pair ${i + 1} is not of the form name=value`, {
        code: 'boot/bad-otlp-headers',
        next: 'write comma-separated name=value pairs with percent-encoded values',
      });
    }
    headers[name] = value;
  }
  return headers;
}

function decoded(value: string): string | undefined {
  try {
    return decodeURIComponent(value);
  } catch {
    return undefined;
  }
}

async function post({ url, headers, body }: OtlpRequest, deps: SendDeps): Promise<Response> {
  try {
    return await deps.fetch(url, {
      method: 'POST',
      headers,
      body,
      redirect: 'error', // the headers are for this host only
      signal: AbortSignal.any([deps.signal, AbortSignal.timeout(TIMEOUT_MS)]),
    });
  } catch (error) {
    if (deps.signal.aborted) throw interruptedBy(error, url, deps.signal);
    const isTimeout = error instanceof Error && error.name === 'TimeoutError';
    throw notSent(
      url,
      isTimeout ? `did not respond within ${TIMEOUT_MS / 1000} s` : `could not be reached (${reasonOf(error)})`,
      1,
      error,
    );
  }
}

function interruptedBy(cause: unknown, url: string, signal: AbortSignal): unknown {
  if (!signal.aborted) return cause;
  return new UserError(`interrupted while sending to ${new URL(url).origin}`, {
    code: 'boot/otlp-interrupted',
    kept: 'The collector may have received the trace. Sending it again is safe, because the ids stay the same.',
    exitCode: 1,
    cause,
  });
}

/** fetch puts the reason into `cause`; its code (ECONNREFUSED, ENOTFOUND) is the useful part. */
function reasonOf(error: unknown): string {
  const { cause } = error as { cause?: { code?: string; message?: string } };
  return cause?.code ?? cause?.message ?? (error as Error).name;
}

function notSent(url: string, what: string, tries: number, cause?: unknown): UserError {
  const { origin, pathname } = new URL(url);
  return new UserError(
    `${origin}${pathname} ${what}${tries > 1 ? ` (${tries} tries)` : ''}: the trace was not accepted`,
    {
      code: 'boot/otlp-not-sent',
      next: 'check the URL and OTEL_EXPORTER_OTLP_HEADERS; `--dry-run` prints the request, `-o FILE` saves the trace',
      exitCode: 1,
      cause,
    },
  );
}

async function partialSuccess(response: Response): Promise<Omit<SendResult, 'tries'>> {
  let rejected: unknown;
  let reason: unknown;
  try {
    const answer = (await response.json()) as {
      partialSuccess?: { rejectedSpans?: unknown; errorMessage?: unknown };
    } | null;
    rejected = answer?.partialSuccess?.rejectedSpans;
    reason = answer?.partialSuccess?.errorMessage;
  } catch {
    return { rejectedSpans: 0 }; // collectors usually respond to success with an empty body
  }
  const count = Number(rejected ?? 0);
  return {
    rejectedSpans: Number.isFinite(count) ? count : 0,
    ...(typeof reason === 'string' && reason !== '' && { reason }),
  };
}
