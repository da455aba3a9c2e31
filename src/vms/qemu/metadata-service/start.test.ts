import { connect } from 'node:net';
import { gunzipSync } from 'node:zlib';
import { afterEach, describe, expect, it } from 'vitest';
import { type FakeClock, fakeClock } from '../../../base/fake-clock.ts';
import type { InstanceMetadata } from './instance-file.ts';
import { MISBEHAVIOURS, type Misbehaviour, type MisbehaviourKind } from './misbehave.ts';
import { type Imds, type ImdsOptions, startImds } from './start.ts';
import { anInstance } from './testing.ts';

const TARGET = '/metadata/instance?api-version=2021-08-01';
const CONTENT = Buffer.from(anInstance.userData ?? '', 'base64').toString();

let imds: Imds;
let clock: FakeClock;
afterEach(() => imds.stop());

async function start(misbehave: Misbehaviour[] = [], more: Partial<ImdsOptions> = {}): Promise<void> {
  clock = fakeClock();
  imds = await startImds({ instance: anInstance, misbehave, clock, ...more });
}

/** All received bytes, and how the connection ended. */
function send(text: string): Promise<{ received: string; ended: 'closed' | 'reset' | 'refused' }> {
  return new Promise((resolve) => {
    let received = '';
    const socket = connect(Number(new URL(imds.url).port), '127.0.0.1', () => socket.write(text));
    socket.setEncoding('latin1').on('data', (chunk) => {
      received += chunk;
    });
    socket.on('end', () => resolve({ received, ended: 'closed' }));
    socket.on('error', (error: NodeJS.ErrnoException) =>
      resolve({ received, ended: error.code === 'ECONNREFUSED' ? 'refused' : 'reset' }),
    );
  });
}

const get = (target = TARGET) => send(`GET ${target} HTTP/1.1\r\nMetadata: true\r\nConnection: close\r\n\r\n`);
const fetchInstance = () => fetch(`${imds.url}${TARGET}`, { headers: { metadata: 'true' } });
async function readUserData(): Promise<string> {
  const { compute } = (await (await fetchInstance()).json()) as { compute: { userData: string } };
  return compute.userData;
}

describe('a platform without faults', () => {
  it('serves several requests on one connection, in order', async () => {
    await start();
    const one = (format: string) =>
      `GET /metadata/instance/compute/${format}?api-version=2021-08-01&format=text HTTP/1.1\r\nMetadata: true\r\n`;
    const { received } = await send(`${one('name')}\r\n${one('vmId')}\r\n${one('osType')}Connection: close\r\n\r\n`);
    expect(received.match(/(?<=\r\n\r\n)[\w-]+?(?=HTTP|$)/g)).toEqual(['pool1-000003', anInstance.vmId, 'Linux']);
  });

  it('responds to a client that has closed its sending side', async () => {
    await start();
    const received = await new Promise<string>((resolve) => {
      const socket = connect({ port: Number(new URL(imds.url).port), host: '127.0.0.1', allowHalfOpen: true });
      socket.end('GET /metadata/versions HTTP/1.1\r\nMetadata: true\r\n\r\n');
      socket.setEncoding('utf8').on('data', (text) => {
        resolve(String(text));
        socket.destroy();
      });
    });
    expect(received).toMatch(/^HTTP\/1.1 200/);
  });

  it('refuses an invalid request and closes the connection', async () => {
    await start();
    const { received, ended } = await send('EHLO\r\n\r\n');
    expect(received).toMatch(/^HTTP\/1.1 400/);
    expect(ended).toBe('closed');
  });

  it('serves user data that was set, and none after it is removed', async () => {
    await start();
    imds.setUserData('bmV3');
    expect(await readUserData()).toBe('bmV3');
    imds.setUserData(null);
    expect(await readUserData()).toBe('');
  });

  it('reads the instance for every request, and survives when that fails', async () => {
    let instance: InstanceMetadata | undefined = anInstance;
    await start([], {
      instance: () => {
        if (instance === undefined) throw new Error('gone');
        return instance;
      },
    });
    instance = { ...anInstance, userData: 'Mg==' };
    expect(await readUserData()).toBe('Mg==');
    instance = undefined;
    expect((await fetchInstance()).status).toBe(500);
  });

  it('stores reports and passes them to the listener', async () => {
    const messages: string[] = [];
    await start([], { onReport: ({ state }) => messages.push(state) });
    const body = `<GoalStateIncarnation>1</GoalStateIncarnation><ContainerId>${anInstance.vmId}</ContainerId><State>Ready</State>`;
    await fetch(`${imds.url}/machine?comp=health`, {
      method: 'POST',
      headers: { 'x-ms-version': '2012-11-30' },
      body,
    });
    expect(imds.reports).toEqual([{ atMs: clock.nowMs(), state: 'Ready' }]);
    expect(messages).toEqual(['Ready']);
    expect(imds.requests).toMatchObject([{ platform: 'wire', method: 'POST', path: '/machine', status: 200 }]);
  });

  it('stops while a client is connected', async () => {
    await start();
    const socket = connect(Number(new URL(imds.url).port), '127.0.0.1');
    await new Promise((resolve) => socket.once('connect', resolve));
    const closed = new Promise((resolve) => socket.on('error', () => undefined).on('close', resolve));
    await imds.stop();
    await closed;
  });
});

describe('a platform with faults', () => {
  it.each([
    ['not-found', 404],
    ['gone', 410],
    ['throttled', 429],
    ['server-error', 500],
    ['unavailable', 503],
  ] as const)('%s: responds with %d the given number of times', async (kind, status) => {
    await start([{ kind, times: 2 }]);
    const statuses = [await fetchInstance(), await fetchInstance(), await fetchInstance()].map((one) => one.status);
    expect(statuses).toEqual([status, status, 200]);
    expect(imds.requests.map(({ misbehaviour }) => misbehaviour)).toEqual([kind, kind, undefined]);
  });

  it('throttled: sends a Retry-After', async () => {
    await start([{ kind: 'throttled', retryAfterS: 17 }]);
    expect((await fetchInstance()).headers.get('retry-after')).toBe('17');
  });

  it('empty: responds with 200 and an empty body', async () => {
    await start([{ kind: 'empty' }]);
    const response = await fetchInstance();
    expect({ status: response.status, body: await response.text() }).toEqual({ status: 200, body: '' });
  });

  it('partial-json: sends a complete response with half of the document', async () => {
    await start([{ kind: 'partial-json' }]);
    const text = await (await fetchInstance()).text();
    expect(text).toMatch(/^\{"compute"/);
    expect(() => JSON.parse(text)).toThrow();
  });

  it('cut-off: sends fewer bytes than Content-Length says', async () => {
    await start([{ kind: 'cut-off' }]);
    const { received, ended } = await get();
    expect(ended).toBe('closed');
    expect(received.length).toBeLessThan(Number(/Content-Length: (\d+)/.exec(received)?.[1]));
  });

  it('reset: sends no response', async () => {
    await start([{ kind: 'reset' }]);
    expect(await get()).toEqual({ received: '', ended: 'reset' });
  });

  it('hang: sends no response until the client disconnects', async () => {
    await start([{ kind: 'hang', times: 1 }]);
    const control = new AbortController();
    const waiting = fetch(`${imds.url}${TARGET}`, { headers: { metadata: 'true' }, signal: control.signal });
    while (imds.requests.length === 0) await new Promise(setImmediate);
    control.abort();
    await expect(waiting).rejects.toThrow();
    expect((await fetchInstance()).status).toBe(200);
  });

  it('slow-bytes: sends the same response one byte at a time', async () => {
    await start([{ kind: 'slow-bytes', delayMs: 50 }]);
    const { received } = await get();
    expect(clock.sleptMs).toBe(received.length * 50);
    expect(JSON.parse(received.slice(received.indexOf('{'))).compute.vmId).toBe(anInstance.vmId);
  });

  it('newlines: sends base64 with line breaks', async () => {
    await start([{ kind: 'newlines' }], {
      instance: { ...anInstance, userData: Buffer.alloc(200, 'x').toString('base64') },
    });
    const lines = (await readUserData()).split('\n');
    expect(lines.map(({ length }) => length)).toEqual([76, 76, 76, 40, 0]);
    expect(Buffer.from(lines.join(''), 'base64').toString()).toBe('x'.repeat(200));
  });

  it('gzip: sends user data compressed before encoding', async () => {
    await start([{ kind: 'gzip' }]);
    expect(gunzipSync(Buffer.from(await readUserData(), 'base64')).toString()).toBe(CONTENT);
  });

  it('oversize: sends more user data than Azure allows', async () => {
    await start([{ kind: 'oversize' }]);
    const content = Buffer.from(await readUserData(), 'base64');
    expect(content.length).toBeGreaterThan(64 * 1024);
    expect(content.toString()).toMatch(new RegExp(`^${CONTENT}#`));
  });

  it('changed: sends one corrupt response, then the new user data', async () => {
    const becomes = Buffer.from('another document').toString('base64');
    await start([{ kind: 'changed', times: 1, userData: becomes }]);
    const [torn, next] = [await readUserData(), await readUserData()];
    expect(next).toBe(becomes);
    expect([anInstance.userData, becomes]).not.toContain(torn);
    expect(torn.slice(0, 8)).toBe(anInstance.userData?.slice(0, 8));
    expect(torn.slice(-8)).toBe(becomes.slice(-8));
  });

  it('late-start: refuses connections until it listens', async () => {
    const awake = Promise.withResolvers<void>();
    await start([{ kind: 'late-start', delayMs: 30_000 }], {
      clock: { nowMs: () => 0, sleep: () => awake.promise },
    });
    expect(await get()).toEqual({ received: '', ended: 'refused' });
    awake.resolve();
    let last = await get();
    while (last.ended === 'refused') last = await get(); // the server is about to listen
    expect(last.received).toMatch(/^HTTP\/1.1 200/);
  });

  it('late-start: can be stopped before it starts', async () => {
    await start([{ kind: 'late-start' }], {
      clock: {
        nowMs: () => 0,
        sleep: (_, signal) =>
          new Promise((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason))),
      },
    });
    await imds.stop();
    expect((await get()).ended).toBe('refused');
  });

  it('affects only the server that the fault names', async () => {
    await start([{ kind: 'server-error', on: 'wire' }]);
    expect((await fetchInstance()).status).toBe(200);
    expect((await fetch(`${imds.url}/?comp=versions`)).status).toBe(500);
    imds.behave();
    expect((await fetch(`${imds.url}/?comp=versions`)).status).toBe(200);
    imds.misbehave({ kind: 'gone' });
    expect((await fetchInstance()).status).toBe(410);
  });

  it('survives every kind, with and without user data', async () => {
    const { userData, ...without } = anInstance;
    for (const instance of [anInstance, without]) {
      for (const kind of Object.keys(MISBEHAVIOURS) as MisbehaviourKind[]) {
        if (kind === 'late-start' || kind === 'hang') continue;
        await start([{ kind, times: 1 }], { instance });
        await get();
        expect((await get()).received, kind).toMatch(/^HTTP\/1.1 200/);
        await imds.stop();
      }
    }
  });
});
