// cluster/local/health.ts: is a server of the control plane healthy?
import { closeSync, constants, openSync } from 'node:fs';
import { type ClientRequest, request as requestPlain } from 'node:http';
import { request } from 'node:https';

/** Over TLS, or over a unix socket in a folder. */
export type Probe = TlsProbe | { folder: string; socket: string };

export interface TlsProbe {
  url: string;
  /** PEM of the authority that signed the server's certificate. */
  ca: string;
  /** The client's credential, if the server requires one. */
  client?: { cert: string; key: string } | { token: string };
}

/** `why` is absent if healthy. */
export interface Health {
  isHealthy: boolean;
  why?: string;
}

const ANSWER_MS = 5_000;
const MAX_BYTES = 64 << 10;

export function checkServerHealth(probe: Probe): Promise<Health> {
  return 'socket' in probe ? checkOverSocket(probe) : checkOverTls(probe);
}

function checkOverTls({ url, ca, client = { token: '' } }: TlsProbe): Promise<Health> {
  const credential =
    'token' in client ? { ...(client.token && { headers: { authorization: `Bearer ${client.token}` } }) } : client;
  return answerTo(request(url, { ca, ...credential, ...once() }));
}

async function checkOverSocket({ folder, socket }: { folder: string; socket: string }): Promise<Health> {
  // A socket path is limited to 107 bytes; the path through an open folder is short.
  const fd = openSync(folder, constants.O_RDONLY | constants.O_DIRECTORY);
  try {
    return await answerTo(requestPlain({ socketPath: `/proc/self/fd/${fd}/${socket}`, path: '/healthz', ...once() }));
  } finally {
    closeSync(fd);
  }
}

/** A reused connection could belong to a server that has been restarted since. */
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
