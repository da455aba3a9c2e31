// node/api/api-server.ts: one request to the API server over plain HTTPS, with kubelet's credential and a limit on everything. Whatever goes
// wrong is an ApiFailure that says what, in a few words.
import type { ClientRequest, RequestOptions } from 'node:http';
import { request } from 'node:https';
import { isObject, type Json, type JsonObject } from '../../schema/json.ts';
import type { KubeletCredential } from './kubelet-credential.ts';

/** The API server did not do it. Says nothing of what was sent. */
export class ApiFailure extends Error {
  /** Undefined: there was no answer. */
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

/** A Node with all its images is some tens of kilobytes, all its pods some megabytes. */
const MAX_BYTES = 16 << 20;

export async function exchange(
  credential: KubeletCredential,
  asked: ApiRequest & { timeoutMs: number },
): Promise<JsonObject> {
  const chunks: Buffer[] = [];
  let length = 0;
  await transfer(credential, { ...asked, answerWithinMs: asked.timeoutMs }, undefined, (chunk, fail) => {
    chunks.push(chunk);
    length += chunk.length;
    if (length > MAX_BYTES) fail(new ApiFailure('the API server answers without an end'));
  });
  const answer = parseObject(Buffer.concat(chunks).toString('utf8'));
  if (answer === undefined) throw new ApiFailure('the API server answers something that is not JSON');
  return answer;
}

export async function stream(
  credential: KubeletCredential,
  asked: ApiRequest & { timeoutMs: number; answerWithinMs: number },
  signal: AbortSignal,
  onLine: (line: string) => void,
): Promise<void> {
  let rest = Buffer.alloc(0);
  await transfer(credential, asked, signal, (chunk, fail) => {
    rest = Buffer.concat([rest, chunk]);
    for (let end = rest.indexOf(10); end >= 0; end = rest.indexOf(10)) {
      onLine(rest.subarray(0, end).toString('utf8'));
      rest = rest.subarray(end + 1);
    }
    if (rest.length > MAX_BYTES) fail(new ApiFailure('the API server sends a line without an end'));
  });
}

type Fail = (error: Error) => void;

/** Resolves when a good answer is over. */
function transfer(
  credential: KubeletCredential,
  asked: ApiRequest & { timeoutMs: number; answerWithinMs: number },
  signal: AbortSignal | undefined,
  onChunk: (chunk: Buffer, fail: Fail) => void,
): Promise<void> {
  signal?.throwIfAborted();
  return new Promise((resolve, reject) => {
    const sent = begin(credential, asked);
    const settle = (act: () => void) => {
      clearTimeout(deadline);
      clearTimeout(silence);
      signal?.removeEventListener('abort', abort);
      act();
      sent.destroy();
    };
    const fail: Fail = (error) => settle(() => reject(error));
    const abort = () => settle(() => reject(signal?.reason));
    const late = () => fail(new ApiFailure('the API server does not answer in time'));
    const deadline = setTimeout(late, asked.timeoutMs);
    const silence = setTimeout(late, asked.answerWithinMs);
    signal?.addEventListener('abort', abort, { once: true });

    // Nobody else notices that the machine on the other side is gone.
    sent.once('socket', (socket) => socket.setKeepAlive(true, 30_000));
    sent.once('error', (error: NodeJS.ErrnoException) => fail(unreachable(error)));
    sent.once('response', (answer) => {
      clearTimeout(silence);
      const status = answer.statusCode ?? 0;
      if (status < 200 || status > 299) return fail(refusal(status));
      answer.on('data', (chunk: Buffer) => onChunk(chunk, fail));
      answer.once('error', (error: NodeJS.ErrnoException) => fail(unreachable(error)));
      answer.once('end', () => settle(resolve));
      return undefined;
    });
    sent.end(asked.body === undefined ? undefined : JSON.stringify(asked.body));
  });
}

/** A key that is not the certificate's, as between two steps of its renewal, is thrown at once; so is an address that is none. */
function begin(credential: KubeletCredential, asked: ApiRequest): ClientRequest {
  try {
    return request(new URL(asked.path, credential.server), optionsOf(credential, asked));
  } catch (cause) {
    const { code, name } = cause as NodeJS.ErrnoException;
    throw new ApiFailure(`the credential for the API server cannot be used (${code ?? name})`, { cause });
  }
}

/** A connection each: the credential may be another one next time. The machine's proxy settings are for others. */
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
    401: 'does not know us',
    403: 'does not allow it',
    404: 'has no such Node',
  };
  return new ApiFailure(`the API server ${words[status] ?? 'refuses it'} (${status})`, { status });
}

function unreachable(cause: NodeJS.ErrnoException): ApiFailure {
  return new ApiFailure(`the API server cannot be reached (${cause.code ?? cause.name})`, { cause });
}

export function parseObject(line: string): JsonObject | undefined {
  try {
    const value = JSON.parse(line) as Json;
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
