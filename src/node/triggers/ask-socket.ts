// node/triggers/ask-socket.ts: how does a verb send a request to the daemon of this node? The client of socket.ts.
import { connect } from 'node:net';
import { join } from 'node:path';
import { UserError } from '../../base/errors.ts';
import { isObject, type Json, type JsonObject } from '../../schema/json.ts';
import { SOCKET_PATH } from './socket.ts';

const MAX_ANSWER_BYTES = 16 << 20;

/** Undefined: no daemon runs. Throws a UserError if the daemon reports a failure, or if the caller is not root. */
export async function askDaemon(root: string, request: object, signal?: AbortSignal): Promise<JsonObject | undefined> {
  const line = await exchange(join(root, SOCKET_PATH), `${JSON.stringify(request)}\n`, signal);
  if (line === undefined) return undefined;
  const answer = parse(line);
  if (answer === undefined) throw broken('it ended before its response was complete');
  if (isObject(answer.error)) throw broken(String(answer.error.message), String(answer.error.code));
  return answer;
}

function exchange(path: string, request: string, signal: AbortSignal | undefined): Promise<string | undefined> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let length = 0;
    const socket = connect(path, () => socket.write(request));
    const abort = () => {
      socket.destroy();
      reject(signal?.reason);
    };
    signal?.addEventListener('abort', abort, { once: true });
    socket.once('close', () => signal?.removeEventListener('abort', abort));
    socket.on('data', (chunk: Buffer) => {
      chunks.push(chunk);
      length += chunk.length;
      if (length > MAX_ANSWER_BYTES) socket.destroy(broken('its response is too long'));
    });
    socket.once('end', () => resolve(Buffer.concat(chunks).toString('utf8')));
    socket.once('error', (error: NodeJS.ErrnoException) => {
      // No folder, no socket, or the socket of a daemon that has ended.
      if (error.code === 'ENOENT' || error.code === 'ECONNREFUSED' || error.code === 'ENOTDIR') resolve(undefined);
      else if (error.code === 'EACCES' || error.code === 'EPERM') reject(onlyRoot(error));
      else reject(error instanceof UserError ? error : broken(error.message));
    });
  });
}

function parse(line: string): JsonObject | undefined {
  try {
    const value = JSON.parse(line) as Json;
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function onlyRoot(cause: unknown): UserError {
  return new UserError('only root may send requests to the daemon of this node', {
    code: 'node/not-root',
    kept: 'Nothing was changed.',
    next: 'run it with sudo; `headstart node status` works without',
    cause,
  });
}

function broken(message: string, code = 'node/daemon-broke'): UserError {
  return new UserError(`the daemon of this node failed: ${message}`, {
    code,
    next: 'journalctl -u headstart-node',
    exitCode: 1,
  });
}
