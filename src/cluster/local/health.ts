// cluster/local/health.ts: does a server of a control plane answer, and what does it say of itself?
import { closeSync, constants, openSync } from 'node:fs';
import { type ClientRequest, request as requestPlain } from 'node:http';
import { request } from 'node:https';

/** Over TLS, or over a socket in a folder. */
export type Probe = TlsProbe | { folder: string; socket: string };

export interface TlsProbe {
  url: string;
  /** PEM: what the server's certificate is checked against. */
  ca: string;
  /** As whom it is asked, where that matters. */
  client?: { cert: string; key: string } | { token: string };
}

/** `why` is absent when all is well. */
export interface Health {
  isHealthy: boolean;
  why?: string;
}

const ANSWER_MS = 5_000;
const MAX_BYTES = 64 << 10;

export function checkHealth(probe: Probe): Promise<Health> {
  return 'socket' in probe ? checkOverSocket(probe) : checkOverTls(probe);
}

function checkOverTls({ url, ca, client = { token: '' } }: TlsProbe): Promise<Health> {
  const credential =
    'token' in client ? { ...(client.token && { headers: { authorization: `Bearer ${client.token}` } }) } : client;
  return answerTo(request(url, { ca, ...credential, ...once() }));
}

async function checkOverSocket({ folder, socket }: { folder: string; socket: string }): Promise<Health> {
  // The address of a socket holds 107 bytes; through an open folder it is short.
  const fd = openSync(folder, constants.O_RDONLY | constants.O_DIRECTORY);
  try {
    return await answerTo(requestPlain({ socketPath: `/proc/self/fd/${fd}/${socket}`, path: '/healthz', ...once() }));
  } finally {
    closeSync(fd);
  }
}

/** A connection that is kept would be one to the server before the last. */
const once = () => ({ agent: false, signal: AbortSignal.timeout(ANSWER_MS) }) as const;

function answerTo(asking: ClientRequest): Promise<Health> {
  return new Promise((resolve) => {
    asking.once('response', (answer) => {
      let text = '';
      answer.setEncoding('utf8').on('data', (chunk: string) => {
        if (text.length < MAX_BYTES) text += chunk;
      });
      answer.once('error', (error) => resolve(unhealthy(error)));
      answer.once('end', () => resolve(healthOf(answer.statusCode ?? 0, text)));
    });
    asking.once('error', (error) => resolve(unhealthy(error)));
    asking.end();
  });
}

/** A server lists its checks, `[-]etcd failed: reason withheld` for one that failed. */
export function healthOf(status: number, text: string): Health {
  if (status === 200) return { isHealthy: true };
  const failed = [...text.matchAll(/^\[-\](\S+)/gm)].map(([, name]) => name);
  return {
    isHealthy: false,
    why: `answers ${status}${failed.length > 0 ? ` (${failed.slice(0, 5).join(', ')})` : ''}`,
  };
}

function unhealthy(error: Error): Health {
  if (error.name === 'AbortError' || error.name === 'TimeoutError') return { isHealthy: false, why: 'does not answer' };
  return { isHealthy: false, why: `does not answer (${'code' in error ? error.code : error.name})` };
}
