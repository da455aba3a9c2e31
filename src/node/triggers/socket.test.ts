import { chmodSync, lstatSync, mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
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

const path = () => join(root, SOCKET_PATH);
const echo = async (request: JsonObject) => ({ heard: request });

/** The response to these bytes. */
function send(bytes: string | Buffer): Promise<string> {
  return new Promise((resolve) => {
    let text = '';
    const socket = connect(path(), () => socket.write(bytes));
    socket.on('data', (chunk) => {
      text += chunk;
    });
    socket.on('error', () => {});
    socket.on('close', () => resolve(text));
  });
}

describe('the socket of the daemon', () => {
  it('answers one request with one line', async () => {
    server = await listenOnSocket(root, echo);
    expect(await askDaemon(root, { do: 'status' })).toEqual({ heard: { do: 'status' } });
  });

  it('is accessible by root only, and so is its folder, for any umask', async () => {
    const umask = process.umask(0o000);
    try {
      server = await listenOnSocket(root, echo);
    } finally {
      process.umask(umask);
    }
    expect(statSync(path()).mode & 0o777).toBe(0o600);
    expect(statSync(dirname(path())).mode & 0o777).toBe(0o700);
    expect(statSync(dirname(dirname(path()))).mode & 0o777).toBe(0o755);
    expect(process.umask()).toBe(umask);
  });

  it('replaces the socket of an earlier daemon and restricts the folder', async () => {
    mkdirSync(dirname(path()), { recursive: true });
    chmodSync(dirname(path()), 0o777);
    writeFileSync(path(), '');
    server = await listenOnSocket(root, echo);
    expect(lstatSync(path()).isSocket()).toBe(true);
    expect(statSync(dirname(path())).mode & 0o777).toBe(0o700);
  });

  it('is refused if a daemon still listens', async () => {
    server = await listenOnSocket(root, echo);
    await expect(listenOnSocket(root, echo)).rejects.toMatchObject({ code: 'node/daemon-runs', exitCode: 1 });
    expect(await askDaemon(root, { do: 'status' })).toBeDefined();
  });

  it('is not created if its folder is a link', async () => {
    mkdirSync(join(root, 'elsewhere'));
    mkdirSync(dirname(dirname(path())), { recursive: true });
    symlinkSync(join(root, 'elsewhere'), dirname(path()));
    await expect(listenOnSocket(root, echo)).rejects.toThrow();
  });

  it.each([
    ['something that is not JSON', 'hello\n'],
    ['a list', '[1]\n'],
    ['a line that is too long', Buffer.alloc((2 << 20) + 1, 'a')],
  ])('refuses %s and keeps serving', async (_, bytes) => {
    server = await listenOnSocket(root, echo);
    expect(await send(bytes)).toContain('node/bad-request');
    expect(await askDaemon(root, { do: 'status' })).toBeDefined();
  });

  it('survives a client that disconnects, and aborts the signal of its request', async () => {
    let gone: (() => void) | undefined;
    const left = new Promise<void>((resolve) => {
      gone = resolve;
    });
    server = await listenOnSocket(root, (request, signal) => {
      if (request.do !== 'wait') return echo(request);
      signal.addEventListener('abort', () => gone?.());
      return new Promise(() => {});
    });
    const leaving = connect(path(), () => leaving.write('{"do":"wait"}\n', () => leaving.destroy()));
    await left;
    expect(await askDaemon(root, { do: 'status' })).toBeDefined();
  });
});
