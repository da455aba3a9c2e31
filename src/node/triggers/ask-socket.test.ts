import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../schema/json.ts';
import { askDaemon } from './ask-socket.ts';
import { listenOnSocket, SOCKET_PATH, type SocketServer } from './socket.ts';

let root: string;
let server: SocketServer | undefined;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'hs-'));
});
afterEach(async () => {
  await server?.close();
  server = undefined;
  rmSync(root, { recursive: true });
});

const echo = async (request: JsonObject) => ({ heard: request });

describe('askDaemon', () => {
  it('returns undefined if no daemon runs or the daemon has ended', async () => {
    expect(await askDaemon(root, { do: 'status' })).toBeUndefined();
    server = await listenOnSocket(root, echo);
    await server.close();
    server = undefined;
    expect(await askDaemon(root, { do: 'status' })).toBeUndefined();
  });

  it('fails with the message of a bug, and if the daemon ends before it responds', async () => {
    server = await listenOnSocket(root, async () => {
      throw new Error('it went wrong');
    });
    await expect(askDaemon(root, {})).rejects.toMatchObject({ code: 'daemon/broke', exitCode: 1 });
    await server.close();
    server = await listenOnSocket(root, () => new Promise(() => {}));
    const response = askDaemon(root, {});
    const stopped = new Promise((resolve) => setImmediate(resolve)).then(() => server?.close());
    await expect(response).rejects.toMatchObject({ code: 'node/daemon-broke' });
    await stopped;
  });

  it('stops waiting when its signal is aborted', async () => {
    server = await listenOnSocket(root, () => new Promise(() => {}));
    const stop = new AbortController();
    const response = askDaemon(root, {}, stop.signal);
    stop.abort(new Error('enough'));
    await expect(response).rejects.toThrow('enough');
  });

  it('returns undefined if the folder of the socket is a file', async () => {
    mkdirSync(dirname(dirname(join(root, SOCKET_PATH))), { recursive: true });
    writeFileSync(dirname(join(root, SOCKET_PATH)), '');
    expect(await askDaemon(root, {})).toBeUndefined();
  });

  it.each(['nonsense', '[1]', ''])('refuses %j as a response', async (line) => {
    const path = join(root, SOCKET_PATH);
    mkdirSync(dirname(path), { recursive: true });
    const other = createServer((socket) => socket.once('data', () => socket.end(line)));
    await new Promise<void>((resolve) => other.listen(path, resolve));
    try {
      await expect(askDaemon(root, {})).rejects.toMatchObject({
        code: 'node/daemon-broke',
        message: expect.stringContaining('before its response was complete'),
      });
    } finally {
      await new Promise((resolve) => other.close(resolve));
    }
  });
});
