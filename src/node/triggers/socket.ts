// node/triggers/socket.ts: how do local commands send requests to the daemon? Over a Unix socket that only root can reach: the request is one
// line of JSON, and so is the response.
import { chmodSync, lstatSync, mkdirSync, unlinkSync } from 'node:fs';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { dirname, join } from 'node:path';
import { UserError } from '../../base/errors.ts';
import { isObject, type Json, type JsonObject } from '../../schema/json.ts';

/** Below the root. In a separate folder, because all users can read run/headstart. */
export const SOCKET_PATH = 'run/headstart/control/node.sock';

export interface SocketServer {
  close(): Promise<void>;
}

/** A rejection is a bug and is reported to the client as one. */
export type SocketRequestHandler = (request: JsonObject, signal: AbortSignal) => Promise<object>;

/** Enough for a document of 1 MiB in base64. */
const MAX_REQUEST_BYTES = 2 << 20;
const MAX_CONNECTIONS = 32;
/** From the connection to the end of the request; the response has no time limit. */
const REQUEST_MS = 10_000;

/** Replaces the socket of an earlier daemon. Throws a UserError if a daemon still listens. */
export async function listenOnSocket(root: string, answer: SocketRequestHandler): Promise<SocketServer> {
  const path = join(root, SOCKET_PATH);
  makePrivateFolder(dirname(path));
  if (await isListenedOn(path)) throw alreadyRuns();
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

/** The parent stays readable by all users, independent of the umask. */
function makePrivateFolder(folder: string): void {
  const above = dirname(folder);
  if (mkdirSync(above, { recursive: true, mode: 0o755 }) !== undefined) chmodSync(above, 0o755);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  if (!lstatSync(folder).isDirectory()) throw new Error(`${folder} is not a folder`);
  chmodSync(folder, 0o700);
}

/** Two daemons would undo each other's changes. */
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

function alreadyRuns(): UserError {
  return new UserError('a daemon already runs on this node', {
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

/** `listen` creates the socket before it returns, so the socket never exists with other permissions. */
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
  const late = setTimeout(
    () => end({ error: { code: 'node/bad-request', message: 'no request received in time' } }),
    REQUEST_MS,
  );
  socket.once('close', () => {
    clearTimeout(late);
    gone.abort();
  });
  socket.on('error', () => socket.destroy()); // the client disconnected
  socket.on('data', onData);

  function onData(chunk: Buffer): void {
    received = Buffer.concat([received, chunk]);
    const at = received.indexOf(10);
    if (at < 0 && received.length <= MAX_REQUEST_BYTES) return;
    clearTimeout(late);
    socket.off('data', onData);
    socket.resume(); // needed for the close event
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
