// node/metadata/http.ts: one request to a link-local address over plain HTTP, never through a proxy, with limits on time
// and size. Every failure is a MetadataFailure with a reason.
import { Agent, type IncomingMessage, request } from 'node:http';
import { parseRetryAfter } from '../../base/retry-after.ts';
import type { ReasonCode } from '../reason-codes.ts';
import { MetadataFailure } from './source.ts';

export interface MetadataResponse {
  status: number;
  headers: IncomingMessage['headers'];
  body: Buffer;
}

export interface MetadataRequest {
  url: URL;
  method?: 'GET' | 'PUT' | 'POST';
  headers?: Readonly<Record<string, string>>;
  body?: string;
  timeoutMs: number;
  signal?: AbortSignal | undefined;
}

/** Far more than any instance document with 64 KiB of userData in base64. */
const MAX_BODY_BYTES = 512 << 10;
/** The service runs on the host of this VM: if it does not accept within a second, it is not up. */
const CONNECT_TIMEOUT_MS = 1000;

export function requestMetadata({
  url,
  method = 'GET',
  headers = {},
  body,
  timeoutMs,
  signal,
}: MetadataRequest): Promise<MetadataResponse> {
  signal?.throwIfAborted();
  return new Promise((resolve, reject) => {
    // A new agent, because the global one may be configured with a proxy. No keep-alive, so that no connection stays open.
    const outgoing = request(url, {
      method,
      headers,
      agent: new Agent({ keepAlive: false }),
      ...(signal && { signal }),
    });
    const fail = (failure: unknown) => {
      clearTimeout(deadline);
      clearTimeout(connecting);
      reject(signal?.aborted ? signal.reason : failure);
      outgoing.destroy();
    };
    const late = (what: string) => fail(new MetadataFailure('metadata/timed-out', what));
    const deadline = setTimeout(() => late(`no complete response within ${timeoutMs} ms`), timeoutMs);
    const connectMs = Math.min(CONNECT_TIMEOUT_MS, timeoutMs);
    const connecting = setTimeout(() => late(`no connection within ${connectMs} ms`), connectMs);
    outgoing.once('socket', (socket) => {
      if (socket.connecting) socket.once('connect', () => clearTimeout(connecting));
      else clearTimeout(connecting);
    });
    outgoing.once('error', (error: NodeJS.ErrnoException) => fail(failureOf(error)));
    outgoing.once('response', (response) => {
      const chunks: Buffer[] = [];
      let length = 0;
      response.on('data', (chunk: Buffer) => {
        chunks.push(chunk);
        length += chunk.length;
        if (length > MAX_BODY_BYTES) {
          fail(new MetadataFailure('metadata/too-large', `the response is longer than ${MAX_BODY_BYTES} bytes`));
        }
      });
      response.once('error', (error: NodeJS.ErrnoException) => fail(failureOf(error)));
      response.once('end', () => {
        clearTimeout(deadline);
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body: Buffer.concat(chunks) });
      });
    });
    outgoing.end(body);
  });
}

/** For a status other than 200. Does not quote the response. */
export function statusFailure({ status, headers }: MetadataResponse, nowMs: number): MetadataFailure {
  const reasons: Readonly<Record<number, ReasonCode>> = {
    404: 'metadata/not-found',
    410: 'metadata/gone',
    429: 'metadata/throttled',
  };
  const reason = reasons[status] ?? (status >= 500 ? 'metadata/server-error' : 'metadata/bad-answer');
  const retryAfterMs = parseRetryAfter(headers['retry-after'], nowMs);
  return new MetadataFailure(reason, `the metadata service returned HTTP ${status}`, { retryAfterMs });
}

function failureOf(error: NodeJS.ErrnoException): MetadataFailure {
  const { code } = error;
  if (code === 'ECONNREFUSED') return new MetadataFailure('metadata/refused', 'connection refused', { cause: error });
  if (code === 'ECONNRESET' || code === 'EPIPE' || code?.startsWith('HPE_')) {
    return new MetadataFailure(
      'metadata/bad-answer',
      `the connection was closed before the response was complete (${code})`,
      { cause: error },
    );
  }
  return new MetadataFailure('metadata/unreachable', `the metadata service cannot be reached (${code})`, {
    cause: error,
  });
}
