// cluster/local/egress-proxy.ts: the proxy through which the API server reaches kubelets. A node reports its own address, which may be
// anything, so the proxy connects only to kubelets of the cluster's own instances.
import { chmodSync, rmSync } from 'node:fs';
import { createServer, type Server, type ServerResponse } from 'node:http';
import { connect, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';

export interface EgressOptions {
  /** A unix socket that only this user can access. A stale socket is replaced. */
  socket: string;
  /** The port on 127.0.0.1 of the kubelet of the instance with this address; undefined: no such instance runs. */
  findKubelet(address: string): Promise<number | undefined>;
  /** Called for refused and failed requests. */
  log(line: string): void;
  /** Deadline for a complete request. */
  requestMs?: number;
}

export interface Egress {
  /** Also closes all open connections. */
  close(): Promise<void>;
}

/** Resolves when the proxy listens. */
export async function startEgress({ socket, requestMs = 10_000, ...handlers }: EgressOptions): Promise<Egress> {
  const server = createServer({
    headersTimeout: requestMs,
    requestTimeout: requestMs,
    connectionsCheckingInterval: requestMs,
  });
  server.maxConnections = MAX_CONNECTIONS;
  const open = new Set<Duplex>();
  const find = sharingLookups(handlers.findKubelet);
  server.on('request', (request, response) => answer(`${request.method} ${request.url}`, response, handlers));
  server.on('connect', (request, client: Duplex, head) => {
    open.add(client.once('close', () => open.delete(client)));
    void forward(request.url ?? '', { client, head }, { ...handlers, findKubelet: find });
  });
  server.on('clientError', (error: NodeJS.ErrnoException, client) => {
    // Do not log data that still arrives after a refusal.
    if (client.writable) handlers.log(`closed the connection of a malformed request (${error.code})`);
    refuse(client, '400 Bad Request');
  });
  await listen(server, socket);
  return {
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
        for (const client of open) client.destroy();
      }),
  };
}

/** Each connection takes two of the about 1,000 file descriptors of a process. */
const MAX_CONNECTIONS = 256;
/** How long a half-closed connection may stay open. A hung guest would keep it forever. */
const HALF_CLOSED_MS = 10 * 60_000;
const MAX_SHOWN = 100;

type EgressHandlers = Pick<EgressOptions, 'findKubelet' | 'log'>;

async function listen(server: Server, socket: string): Promise<void> {
  rmSync(socket, { force: true });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(socket, resolve);
  });
  chmodSync(socket, 0o600);
}

/** Answers only health checks. */
function answer(request: string, response: ServerResponse, { log }: EgressHandlers): void {
  const isHealth = request === 'GET /healthz';
  if (!isHealth) log(`refused ${shown(request)}`);
  response.writeHead(isHealth ? 200 : 403, { connection: 'close' }).end(isHealth ? 'ok\n' : '');
}

async function forward(
  target: string,
  { client, head }: { client: Duplex; head: Buffer },
  { findKubelet, log }: EgressHandlers,
): Promise<void> {
  client.on('error', () => client.destroy()); // a client may hang up during the lookup
  const address = kubeletAddress(target);
  const port = address === undefined ? undefined : await findKubelet(address).catch((error: Error) => error);
  if (client.destroyed) return;
  if (typeof port !== 'number') {
    log(`refused ${shown(target)}: ${port instanceof Error ? port.message : 'no kubelet of this cluster'}`);
    refuse(client, '403 Forbidden');
    return;
  }
  const kubelet = connect({ host: '127.0.0.1', port, allowHalfOpen: true });
  kubelet.once('error', (error: NodeJS.ErrnoException) => {
    if (kubelet.bytesRead + kubelet.bytesWritten > 0) return; // do not log broken connections
    log(`${shown(target)} is at 127.0.0.1:${port}, which does not answer (${error.code})`);
    refuse(client, '502 Bad Gateway');
  });
  kubelet.once('connect', () => {
    client.write('HTTP/1.1 200 Connection established\r\n\r\n');
    if (head.length > 0) kubelet.write(head);
    join(client, kubelet);
  });
}

/** `168.1.0.4` of `168.1.0.4:10250`; undefined for anything else. */
export function kubeletAddress(target: string): string | undefined {
  return /^((?:\d{1,3}\.){3}\d{1,3}):10250$/.exec(target)?.[1];
}

/** Supports half-closed connections. If one side breaks, the other is closed too. */
function join(client: Duplex, kubelet: Socket): void {
  client.pipe(kubelet).pipe(client);
  const sides = [
    [client, kubelet],
    [kubelet, client],
  ] as const;
  for (const [one, other] of sides) {
    one.on('error', () => other.destroy());
    one.once('close', () => {
      if (!one.readableEnded) other.destroy(); // otherwise the other side got the end and may still send
    });
    one.once('end', () => kubelet.setTimeout(HALF_CLOSED_MS, () => kubelet.destroy()));
  }
}

function refuse(client: Duplex, status: string): void {
  if (!client.writable) {
    client.destroy();
    return;
  }
  client.end(`HTTP/1.1 ${status}\r\nconnection: close\r\ncontent-length: 0\r\n\r\n`, () => client.destroy());
}

/** Concurrent lookups of one address share a result. Nothing is cached: the port may belong to another instance later. */
function sharingLookups(find: EgressHandlers['findKubelet']): EgressHandlers['findKubelet'] {
  const pending = new Map<string, Promise<number | undefined>>();
  return (address) => {
    const lookup = pending.get(address) ?? find(address).finally(() => pending.delete(address));
    pending.set(address, lookup);
    return lookup;
  };
}

/** Untrusted text as one short line. */
const shown = (text: string) => JSON.stringify(text.slice(0, MAX_SHOWN));
