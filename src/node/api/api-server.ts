// node/api/api-server.ts: sends one request to the API server over HTTPS, with kubelet's credential and with limits on
// time and size. Every failure is an ApiFailure with a short reason.
import type { ClientRequest, RequestOptions } from 'node:http';
import { request } from 'node:https';
import { isObject, type Json, type JsonObject } from '../../schema/json.ts';
import type { KubeletCredential } from './kubelet-credential.ts';

/** A request that failed. The message contains nothing of the request or the response body. */
export class ApiFailure extends Error {
  /** Undefined: the server did not answer. */
  readonly status: number | undefined;

  constructor(message: string, { status, cause }: { status?: number; cause?: unknown } = {}) {
    super(message, { cause });
    this.name = 'ApiFailure';
    this.status = status;
  }
}

export interface ApiRequest {
  method: 'GET' | 'PATCH' | 'POST';
  path: string;
  type?: string;
  accept?: string;
  body?: object;
}

/** A Node with its list of images has tens of kilobytes; all pods of a node have some megabytes. */
const MAX_BYTES = 16 << 20;

export async function exchange(
  credential: KubeletCredential,
  options: ApiRequest & { timeoutMs: number },
): Promise<JsonObject> {
  const chunks: Buffer[] = [];
  let length = 0;
  await transfer(credential, { ...options, answerWithinMs: options.timeoutMs }, undefined, (chunk, fail) => {
    chunks.push(chunk);
    length += chunk.length;
    if (length > MAX_BYTES) fail(new ApiFailure('the response of the API server is too large'));
  });
  const response = parseObject(Buffer.concat(chunks).toString('utf8'));
  if (response === undefined) throw new ApiFailure('the response of the API server is not JSON');
  return response;
}

export async function stream(
  credential: KubeletCredential,
  options: ApiRequest & { timeoutMs: number; answerWithinMs: number },
  signal: AbortSignal,
  onLine: (line: string) => void,
): Promise<void> {
  let rest = Buffer.alloc(0);
  await transfer(credential, options, signal, (chunk, fail) => {
    rest = Buffer.concat([rest, chunk]);
    for (let end = rest.indexOf(10); end >= 0; end = rest.indexOf(10)) {
      onLine(rest.subarray(0, end).toString('utf8'));
      rest = rest.subarray(end + 1);
    }
    if (rest.length > MAX_BYTES) fail(new ApiFailure('a line in the response of the API server is too long'));
  });
}

type Fail = (error: Error) => void;

/** Resolves at the end of a successful response. */
function transfer(
  credential: KubeletCredential,
  options: ApiRequest & { timeoutMs: number; answerWithinMs: number },
  signal: AbortSignal | undefined,
  onChunk: (chunk: Buffer, fail: Fail) => void,
): Promise<void> {
  signal?.throwIfAborted();
  return new Promise((resolve, reject) => {
    const outgoing = begin(credential, options);
    const finish = (act: () => void) => {
      clearTimeout(deadline);
      clearTimeout(silence);
      signal?.removeEventListener('abort', abort);
      act();
      outgoing.destroy();
    };
    const fail: Fail = (error) => finish(() => reject(error));
    const abort = () => finish(() => reject(signal?.reason));
    const timedOut = () => fail(new ApiFailure('the API server did not answer in time'));
    const deadline = setTimeout(timedOut, options.timeoutMs);
    const silence = setTimeout(timedOut, options.answerWithinMs);
    signal?.addEventListener('abort', abort, { once: true });

    // Without keep-alive, a lost peer would not be noticed during a watch.
    outgoing.once('socket', (socket) => socket.setKeepAlive(true, 30_000));
    outgoing.once('error', (error: NodeJS.ErrnoException) => fail(unreachable(error)));
    outgoing.once('response', (response) => {
      clearTimeout(silence);
      const status = response.statusCode ?? 0;
      if (status < 200 || status > 299) return fail(refusal(status));
      response.on('data', (chunk: Buffer) => onChunk(chunk, fail));
      response.once('error', (error: NodeJS.ErrnoException) => fail(unreachable(error)));
      response.once('end', () => finish(resolve));
      return undefined;
    });
    outgoing.end(options.body === undefined ? undefined : JSON.stringify(options.body));
  });
}

/** `request` throws synchronously for an invalid URL, and for a key that does not match the certificate, as may happen during a renewal. */
function begin(credential: KubeletCredential, options: ApiRequest): ClientRequest {
  try {
    return request(new URL(options.path, credential.server), optionsOf(credential, options));
  } catch (cause) {
    const { code, name } = cause as NodeJS.ErrnoException;
    throw new ApiFailure(`cannot use the credential for the API server (${code ?? name})`, { cause });
  }
}

/** A new connection for each request, because the credential may have changed. Ignores the proxy settings of the machine. */
function optionsOf(
  credential: KubeletCredential,
  { method, type, accept, body }: ApiRequest,
): RequestOptions & TlsOptions {
  const { authority, serverName, proof } = credential;
  return {
    method,
    agent: false,
    headers: {
      accept: accept ?? 'application/json',
      'user-agent': 'headstart-node',
      ...(body !== undefined && { 'content-type': type ?? 'application/json' }),
      ...(proof.kind === 'token' && { authorization: `Bearer ${proof.token.reveal()}` }),
    },
    ...(authority !== undefined && { ca: authority }),
    ...(serverName !== undefined && { servername: serverName }),
    ...(proof.kind === 'certificate' && { cert: proof.certificate, key: proof.key.reveal() }),
  };
}

interface TlsOptions {
  ca?: string;
  servername?: string;
  cert?: string;
  key?: string;
}

function refusal(status: number): ApiFailure {
  const words: Readonly<Record<number, string>> = {
    401: 'does not accept the credential',
    403: 'forbids the request',
    404: 'does not have the object',
  };
  return new ApiFailure(`the API server ${words[status] ?? 'refused the request'} (${status})`, { status });
}

function unreachable(cause: NodeJS.ErrnoException): ApiFailure {
  return new ApiFailure(`cannot reach the API server (${cause.code ?? cause.name})`, { cause });
}

export function parseObject(line: string): JsonObject | undefined {
  try {
    const value = JSON.parse(line) as Json;
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
