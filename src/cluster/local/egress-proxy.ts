// cluster/local/egress-proxy.ts: by which way does the API server reach nodes? A node says itself where it is, and that may be anywhere:
// this proxy leads to kubelets of the cluster's own instances, and nowhere else.
import { chmodSync, rmSync } from 'node:fs';
import { createServer, type Server, type ServerResponse } from 'node:http';
import { connect, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';

export interface EgressOptions {
  /** A unix socket, closed to others. One that nobody listens on any more is replaced. */
  socket: string;
  /** The port on 127.0.0.1 that leads to the kubelet of the instance with this address; undefined: there is none that runs. */
  findKubelet(address: string): Promise<number | undefined>;
  /** What was refused, and why something failed. */
  tell(line: string): void;
  /** Until which a request has to be complete. */
  requestMs?: number;
}

export interface Egress {
  /** With every connection that is still open. */
  close(): Promise<void>;
}

/** Returns when it listens. */
export async function startEgress({ socket, requestMs = 10_000, ...ways }: EgressOptions): Promise<Egress> {
  const server = createServer({
    headersTimeout: requestMs,
    requestTimeout: requestMs,
    connectionsCheckingInterval: requestMs,
  });
  server.maxConnections = MAX_CONNECTIONS;
  const open = new Set<Duplex>();
  const find = sharingLookups(ways.findKubelet);
  server.on('request', (request, response) => answer(`${request.method} ${request.url}`, response, ways));
  server.on('connect', (request, client: Duplex, head) => {
    open.add(client.once('close', () => open.delete(client)));
    void forward(request.url ?? '', { client, head }, { ...ways, findKubelet: find });
  });
  server.on('clientError', (error: NodeJS.ErrnoException, client) => {
    // What is still being sent when it has been refused is no news.
    if (client.writable) ways.tell(`hung up on a request that could not be read (${error.code})`);
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

/** Each one takes two of the descriptors that a process has, of which there are a thousand. */
const MAX_CONNECTIONS = 256;
/** What is still to come when one side has finished. A guest that hangs would keep its connections for ever. */
const HALF_CLOSED_MS = 10 * 60_000;
const MAX_SHOWN = 100;

type EgressHandlers = Pick<EgressOptions, 'findKubelet' | 'tell'>;

async function listen(server: Server, socket: string): Promise<void> {
  rmSync(socket, { force: true });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(socket, resolve);
  });
  chmodSync(socket, 0o600);
}

/** It has nothing to say but that it is there. */
function answer(asked: string, response: ServerResponse, { tell }: EgressHandlers): void {
  const isHealth = asked === 'GET /healthz';
  if (!isHealth) tell(`refused ${shown(asked)}`);
  response.writeHead(isHealth ? 200 : 403, { connection: 'close' }).end(isHealth ? 'ok\n' : '');
}

async function forward(
  target: string,
  { client, head }: { client: Duplex; head: Buffer },
  { findKubelet, tell }: EgressHandlers,
): Promise<void> {
  client.on('error', () => client.destroy()); // whoever hangs up while we look is gone, no more
  const address = kubeletAddress(target);
  const port = address === undefined ? undefined : await findKubelet(address).catch((error: Error) => error);
  if (client.destroyed) return;
  if (typeof port !== 'number') {
    tell(`refused ${shown(target)}: ${port instanceof Error ? port.message : 'no kubelet of this cluster is there'}`);
    refuse(client, '403 Forbidden');
    return;
  }
  const kubelet = connect({ host: '127.0.0.1', port, allowHalfOpen: true });
  kubelet.once('error', (error: NodeJS.ErrnoException) => {
    if (kubelet.bytesRead + kubelet.bytesWritten > 0) return; // a connection that broke is not worth a line
    tell(`${shown(target)} is at 127.0.0.1:${port}, which does not answer (${error.code})`);
    refuse(client, '502 Bad Gateway');
  });
  kubelet.once('connect', () => {
    client.write('HTTP/1.1 200 Connection established\r\n\r\n');
    if (head.length > 0) kubelet.write(head);
    join(client, kubelet);
  });
}

/** `168.1.0.4` of `168.1.0.4:10250`; undefined for whatever else. */
export function kubeletAddress(target: string): string | undefined {
  return /^((?:\d{1,3}\.){3}\d{1,3}):10250$/.exec(target)?.[1];
}

/** Each side may go on after the other has finished; when one breaks, so does the other. */
function join(client: Duplex, kubelet: Socket): void {
  client.pipe(kubelet).pipe(client);
  const sides = [
    [client, kubelet],
    [kubelet, client],
  ] as const;
  for (const [one, other] of sides) {
    one.on('error', () => other.destroy());
    one.once('close', () => {
      if (!one.readableEnded) other.destroy(); // otherwise it has been told, and may still have something to say
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

/** Whoever asks for the same while it is looked for gets the same answer. Nothing is kept: a port may be somebody else's a moment later. */
function sharingLookups(find: EgressHandlers['findKubelet']): EgressHandlers['findKubelet'] {
  const looking = new Map<string, Promise<number | undefined>>();
  return (address) => {
    const known = looking.get(address) ?? find(address).finally(() => looking.delete(address));
    looking.set(address, known);
    return known;
  };
}

/** Of what anybody may have sent: one line, not too long. */
const shown = (text: string) => JSON.stringify(text.slice(0, MAX_SHOWN));
