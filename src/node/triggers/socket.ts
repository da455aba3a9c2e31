// node/triggers/socket.ts: how does somebody on this node speak to the daemon? Over a socket that only root can reach: one request as a
// line of JSON, then lines of JSON back, the last of them the answer.
import { chmodSync, lstatSync, mkdirSync, unlinkSync } from 'node:fs';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { dirname, join } from 'node:path';
import { UserError } from '../../base/errors.ts';
import { isObject, type Json, type JsonObject } from '../../schema/json.ts';

/** Below the root. In a folder of its own, for what is beside it is for everybody. */
export const SOCKET_PATH = 'run/headstart/control/node.sock';

export interface SocketServer {
  close(): Promise<void>;
}

/** What is thrown is a bug and is answered as one. */
export type SocketRequestHandler = (request: JsonObject, signal: AbortSignal) => Promise<object>;

/** Of a request: a document of a megabyte in base64, and a little. */
const MAX_REQUEST_BYTES = 2 << 20;
const MAX_CONNECTIONS = 32;
/** From the connection to the end of the request; an answer may take as long as it takes. */
const REQUEST_MS = 10_000;

/** Replaces what an earlier daemon left. Throws a UserError when one is still there. */
export async function listenOnSocket(root: string, answer: SocketRequestHandler): Promise<SocketServer> {
  const path = join(root, SOCKET_PATH);
  makePrivateFolder(dirname(path));
  if (await isListenedOn(path)) throw isTaken();
  removeLeftover(path);
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
    serve(socket, answer);
  });
  server.maxConnections = MAX_CONNECTIONS;
  await listenPrivately(server, path);
  return {
    close: () =>
      new Promise((resolve) => {
        for (const socket of sockets) socket.destroy();
        server.close(() => resolve());
      }),
  };
}

/** What is above it is for everybody, whatever the umask is. */
function makePrivateFolder(folder: string): void {
  const above = dirname(folder);
  if (mkdirSync(above, { recursive: true, mode: 0o755 }) !== undefined) chmodSync(above, 0o755);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  if (!lstatSync(folder).isDirectory()) throw new Error(`${folder} is not a folder`);
  chmodSync(folder, 0o700);
}

/** By another daemon; two of them would take turns in undoing what the other one does. */
function isListenedOn(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(path);
    const end = (answer: boolean) => {
      socket.destroy();
      resolve(answer);
    };
    socket.once('connect', () => end(true));
    socket.once('error', () => end(false));
  });
}

function isTaken(): UserError {
  return new UserError('a daemon runs on this node already', {
    code: 'node/daemon-runs',
    kept: 'Nothing was changed.',
    next: 'systemctl status headstart-node',
    exitCode: 1,
  });
}

function removeLeftover(path: string): void {
  try {
    unlinkSync(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
}

/** The socket is made inside `listen`, before it returns: it is never there with other rights. */
function listenPrivately(server: Server, path: string): Promise<void> {
  const umask = process.umask(0o177);
  try {
    return new Promise((resolve, reject) => {
      server.once('error', reject);
      server.listen(path, () => resolve());
    });
  } finally {
    process.umask(umask);
  }
}

function serve(socket: Socket, answer: SocketRequestHandler): void {
  const gone = new AbortController();
  let received = Buffer.alloc(0);
  const late = setTimeout(() => end({ error: { code: 'node/bad-request', message: 'no request came' } }), REQUEST_MS);
  socket.once('close', () => {
    clearTimeout(late);
    gone.abort();
  });
  socket.on('error', () => socket.destroy()); // whoever asked has gone
  socket.on('data', onData);

  function onData(chunk: Buffer): void {
    received = Buffer.concat([received, chunk]);
    const at = received.indexOf(10);
    if (at < 0 && received.length <= MAX_REQUEST_BYTES) return;
    clearTimeout(late);
    socket.off('data', onData);
    socket.resume(); // to hear when it closes
    const request = at < 0 ? undefined : parseLine(received.subarray(0, at));
    if (request === undefined)
      end({ error: { code: 'node/bad-request', message: 'the request is not a line of JSON' } });
    else answer(request, gone.signal).then(end, (error: Error) => end(bug(error)));
  }

  function end(result: object): void {
    if (!socket.destroyed) socket.end(`${JSON.stringify(result)}\n`);
  }
}

function bug({ message }: Error): object {
  return { error: { code: 'daemon/broke', message } };
}

function parseLine(line: Buffer): JsonObject | undefined {
  try {
    const value = JSON.parse(line.toString('utf8')) as Json;
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
