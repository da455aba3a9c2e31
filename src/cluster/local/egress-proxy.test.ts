import { chmodSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Egress, type EgressOptions, kubeletAddress, startEgress } from './egress-proxy.ts';
import { checkServerHealth } from './health.ts';

const NODE = '168.1.0.4';

let folder: string;
let socket: string;
let egress: Egress;
let kubelet: Server;
let port: number;
let told: string[];
let asked: string[];
/** How the kubelet handles a connection. */
let serve: (connection: Socket) => void;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'headstart-egress-'));
  socket = join(folder, 'egress.sock');
  [told, asked] = [[], []];
  serve = (connection) => connection.pipe(connection);
  kubelet = createServer({ allowHalfOpen: true }, (connection) => {
    connection.on('error', () => {});
    serve(connection);
  });
  await new Promise<void>((resolve) => kubelet.listen(0, '127.0.0.1', resolve));
  port = (kubelet.address() as AddressInfo).port;
  egress = await start();
});
afterEach(async () => {
  await egress.close();
  kubelet.close();
  rmSync(folder, { recursive: true });
});

const start = (more: Partial<EgressOptions> = {}) =>
  startEgress({
    socket,
    findKubelet: async (address) => {
      asked.push(address);
      return address === NODE ? port : undefined;
    },
    log: (line) => told.push(line),
    ...more,
  });

const call = (text = '') => {
  const client = connect({ path: socket, allowHalfOpen: true });
  client.on('error', () => {});
  if (text) client.write(text);
  return client;
};
const CONNECT = `CONNECT ${NODE}:10250 HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n`;

/** Reads until the other side has finished. */
async function readAll(client: Socket): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of client.setTimeout(60_000, () => client.destroy())) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}

/** Reads that many bytes. */
async function readSome(client: Socket, bytes: number): Promise<string> {
  let text = '';
  while (text.length < bytes) {
    await new Promise((resolve) => client.once('readable', resolve));
    text += client.read() ?? '';
  }
  return text;
}

const GRANTED = 'HTTP/1.1 200 Connection established\r\n\r\n';

describe('the egress proxy', () => {
  it('connects to the kubelet of an instance and forwards early data', async () => {
    const client = call(`${CONNECT}early `);
    expect(await readSome(client, GRANTED.length + 6)).toBe(`${GRANTED}early `);
    client.end('late');
    expect(await readAll(client)).toBe('late');
    expect(asked).toEqual([NODE]);
    expect(told).toEqual([]);
  });

  it('supports half-closed connections in both directions', async () => {
    const whole = 'x'.repeat(3 << 20);
    serve = (connection) => connection.once('end', () => connection.end(whole)).resume();
    const asking = call(CONNECT);
    asking.end();
    expect(await readAll(asking)).toBe(GRANTED + whole);

    const heard = new Promise<string>((resolve) => {
      serve = (connection) => {
        connection.end('done');
        void readAll(connection).then(resolve);
      };
    });
    const telling = call(CONNECT);
    expect(await readAll(telling)).toBe(`${GRANTED}done`);
    telling.end(whole);
    expect(await heard).toBe(whole);
  });

  it('closes both sides when one breaks', async () => {
    serve = (connection) => connection.once('data', () => connection.resetAndDestroy());
    const cut = call(`${CONNECT}x`);
    await expect(readAll(cut).then((text) => text.replace(GRANTED, ''))).resolves.toBe('');
    const heard = new Promise<string>((resolve) => {
      serve = (connection) => void readAll(connection).then(resolve);
    });
    const client = call(CONNECT);
    await readSome(client, GRANTED.length);
    client.destroy();
    expect(await heard).toBe('');
  });

  it.each([
    `${NODE}:22`,
    `${NODE}:10250.`,
    `${NODE}:010250`,
    `${NODE}`,
    '168.1.0.20:10250',
    '127.0.0.1:10250',
    'localhost:10250',
    '[::1]:10250',
    `user@${NODE}:10250`,
    `http://${NODE}:10250`,
    `${NODE}:10250/x`,
  ])('refuses %s and logs it', async (target) => {
    expect(await readAll(call(`CONNECT ${target} HTTP/1.1\r\n\r\n`))).toMatch(/^HTTP\/1\.1 4\d\d /);
    expect(told).toHaveLength(1);
  });

  it.each([
    'GET / HTTP/1.1\r\nHost: x\r\n\r\n',
    `GET http://${NODE}:10250/ HTTP/1.1\r\nHost: x\r\n\r\n`,
    'POST /healthz HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nhello',
    'GET /healthz?x HTTP/1.1\r\nHost: x\r\n\r\n',
    'GET / HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n',
  ])('refuses %j', async (request) => {
    expect(await readAll(call(request))).toMatch(/^HTTP\/1\.1 403 /);
    expect(told).toEqual([expect.stringMatching(/^refused "/)]);
    expect(asked).toEqual([]);
  });

  it.each([
    ['a header of a megabyte', `CONNECT ${NODE}:10250 HTTP/1.1\r\nX: ${'y'.repeat(1 << 20)}\r\n\r\n`],
    ['a target of a megabyte', `CONNECT ${'1'.repeat(1 << 20)}:10250 HTTP/1.1\r\n\r\n`],
    ['a greeting of TLS', '\x16\x03\x01\x02\x00\x01'],
    ['no HTTP', 'hello\r\n\r\n'],
  ])('closes the connection on %s', async (_, request) => {
    // Whether the refusal is read depends on how much is still being sent.
    expect(['', 'HTTP/1.1 400']).toContain((await readAll(call(request)).catch(() => '')).slice(0, 12));
    expect(told).toHaveLength(1);
    expect(told[0]!.length).toBeLessThan(200);
    expect(asked).toEqual([]);
  });

  it('closes the connection after a while on half a line', async () => {
    await egress.close();
    egress = await start({ requestMs: 50 });
    expect(await readAll(call('CONN'))).toMatch(/^HTTP\/1\.1 400 /);
    expect(told).toEqual([expect.stringContaining('ERR_HTTP_REQUEST_TIMEOUT')]);
  });

  it('logs a kubelet that does not answer or a failed lookup', async () => {
    await egress.close();
    egress = await start({ findKubelet: async () => 1 });
    expect(await readAll(call(CONNECT))).toMatch(/^HTTP\/1\.1 502 /);
    await egress.close();
    egress = await start({ findKubelet: () => Promise.reject(new Error('pool.json is not what it was')) });
    expect(await readAll(call(CONNECT))).toMatch(/^HTTP\/1\.1 403 /);
    expect(told).toEqual([
      expect.stringMatching(/is at 127\.0\.0\.1:1, which does not answer \(ECONNREFUSED\)/),
      expect.stringContaining('pool.json is not what it was'),
    ]);
  });

  it('serves many clients, shares lookups of one address, and survives clients that hang up', async () => {
    await egress.close();
    let found = (_: number) => {};
    let looks = 0;
    egress = await start({
      findKubelet: () => {
        looks += 1;
        return new Promise((resolve) => {
          found = resolve;
        });
      },
    });
    const clients = Array.from({ length: 100 }, () => call(CONNECT));
    const hasty = call(CONNECT);
    await Promise.all([...clients, hasty].map((client) => new Promise((resolve) => client.once('connect', resolve))));
    hasty.destroy();
    // The response on the socket proves that all earlier requests were read.
    expect(await checkServerHealth({ folder, socket: 'egress.sock' })).toEqual({ isHealthy: true });
    found(port);
    for (const client of clients) client.end('hello');
    for (const client of clients) expect(await readAll(client)).toBe(`${GRANTED}hello`);
    expect(looks).toBe(1);
  });

  it('is accessible only to this user, replaces a stale socket, and closes all connections at the end', async () => {
    expect(statSync(socket).mode & 0o777).toBe(0o600);
    const client = call(CONNECT);
    await readSome(client, GRANTED.length);
    await egress.close();
    expect(await readAll(client).catch(() => '')).toBe('');
    writeFileSync(join(folder, 'precious'), 'kept');
    chmodSync(join(folder, 'precious'), 0o640);
    symlinkSync('precious', socket);
    egress = await start();
    expect(statSync(join(folder, 'precious')).mode & 0o777).toBe(0o640);
    expect(await checkServerHealth({ folder, socket: 'egress.sock' })).toEqual({ isHealthy: true });
  });
});

describe('the address of a kubelet', () => {
  it('is accepted only at the kubelet port', () => {
    expect(kubeletAddress('168.1.0.4:10250')).toBe('168.1.0.4');
    fc.assert(
      fc.property(fc.string(), (text) => {
        const found = kubeletAddress(text);
        expect(found === undefined || `${found}:10250` === text).toBe(true);
      }),
    );
  });
});

describe('the health of a server on a socket', () => {
  it('is bad if the socket is stale', async () => {
    await egress.close();
    expect(await checkServerHealth({ folder, socket: 'egress.sock' })).toEqual({
      isHealthy: false,
      why: expect.stringMatching(/^does not answer \((?:ENOENT|ECONNREFUSED)\)$/),
    });
    egress = await start();
  });
});
