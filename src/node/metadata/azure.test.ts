// Uses the metadata service of src/vms/qemu/metadata-service and tests how a node handles each of its misbehaviours.
import type { RequestListener, ServerResponse } from 'node:http';
import { gunzipSync } from 'node:zlib';
import { afterEach, describe, expect, it } from 'vitest';
import { runCommand } from '../../base/command.ts';
import { fakeClock } from '../../base/fake-clock.ts';
import { MISBEHAVIOURS, type MisbehaviourKind } from '../../vms/qemu/metadata-service/misbehave.ts';
import { type Imds, type ImdsOptions, startImds } from '../../vms/qemu/metadata-service/start.ts';
import { anInstance } from '../../vms/qemu/metadata-service/testing.ts';
import { parseDocument } from '../document/document.ts';
import { aDocument, aDocumentContext, bytesOf } from '../document/documents.testing.ts';
import { azureSource } from './azure.ts';
import { fetchPersistently, type RetryEvent, type RetryOptions } from './retry.ts';
import type { MetadataFailure } from './source.ts';
import { withServer } from './testing.ts';

const document = aDocument({ kubelet: { maxPods: 110 } });
const userData = Buffer.from(bytesOf(document)).toString('base64');
const instance = { ...anInstance, userData };
const ids = ['5a3c0a9e-0000-4000-8000-000000000001', '5a3c0a9e-0000-4000-8000-000000000002'];

let imds: Imds;
afterEach(() => imds.stop());

async function start(options: Partial<ImdsOptions> = {}) {
  imds = await startImds({ instance, ...options });
  return source();
}

function source(url = imds.url) {
  let count = 0;
  return azureSource({ clock: fakeClock(), newRequestId: () => ids[count++ % ids.length]!, url });
}

const once = { timeoutMs: 10_000 };

/** Sleeps take no time; returns the events. */
async function persistently(options: Partial<RetryOptions> = {}) {
  const events: RetryEvent[] = [];
  const clock = fakeClock();
  const retry: RetryOptions = { clock, random: () => 0.5, onEvent: (event) => events.push(event), ...options };
  const fetched = await fetchPersistently(source(), retry);
  return { fetched, events, clock };
}

describe('azureSource', () => {
  it('returns the document and the facts of the instance', async () => {
    const { document: bytes, instance: facts } = await (await start()).fetch(once);
    expect(JSON.parse(Buffer.from(bytes!).toString())).toEqual(document);
    expect(facts).toMatchObject({
      platform: 'azure',
      vmId: anInstance.vmId,
      computerName: 'pool1-000003',
      providerId: expect.stringMatching(/^azure:\/\/\/subscriptions\//),
      region: 'local',
      size: anInstance.vmSize,
      addresses: ['168.0.0.15'],
      tags: { team: 'a', env: 'test' },
    });
  });

  it('sends the required headers and a new request id each time', async () => {
    const source = await start();
    await source.fetch(once);
    await source.fetch(once);
    expect(imds.requests).toHaveLength(2);
    for (const [index, { method, path, query, headers }] of imds.requests.entries()) {
      expect([method, path]).toEqual(['GET', '/metadata/instance']);
      expect(Object.fromEntries(new URLSearchParams(query))).toEqual({ 'api-version': '2023-07-01', extended: 'true' });
      expect(headers).toMatchObject({ metadata: 'true', 'x-ms-client-request-id': ids[index] });
      expect(Object.keys(headers)).not.toContain('x-forwarded-for');
    }
  });

  it('says whether the instance is in a standby pool, where the service has the field', async () => {
    let inPool: { isVmInStandbyPool?: boolean; ppsType?: 'Running' } = {};
    const source = await start({ instance: () => ({ ...instance, ...inPool }) });
    const seen = async () => (await source.fetch(once)).standby;
    expect(await seen()).toBeUndefined();
    inPool = { isVmInStandbyPool: true };
    expect(await seen()).toEqual({ is: 'in' });
    inPool = { isVmInStandbyPool: false };
    expect(await seen()).toEqual({ is: 'out' });
    inPool = { ppsType: 'Running' };
    expect(await seen()).toEqual({ is: 'parked' });
    imds.misbehave({ kind: 'empty' });
    expect(await seen()).toEqual({ is: 'unknown' });
  });

  it('distinguishes an instance without userData from a failing service', async () => {
    const source = await start();
    imds.setUserData(null);
    expect((await source.fetch(once)).document).toBeUndefined();
    imds.misbehave({ kind: 'empty' });
    expect((await source.fetch(once)).document).toBeUndefined();
  });

  it.each(['newlines', 'gzip'] as const)('accepts userData in %s', async (kind) => {
    const { document: bytes } = await (await start({ misbehave: [{ kind }] })).fetch(once);
    const plain = kind === 'gzip' ? gunzipSync(bytes!) : Buffer.from(bytes!);
    expect(JSON.parse(plain.toString())).toEqual(document);
    expect(await parseDocument(bytes!, aDocumentContext)).toMatchObject({
      outcome: 'accepted',
      config: { kubelet: { maxPods: 110 } },
    });
  });

  it('returns userData above the limit, which parseDocument refuses', async () => {
    const { document: bytes } = await (await start({ misbehave: [{ kind: 'oversize' }] })).fetch(once);
    expect(await parseDocument(bytes!, aDocumentContext)).toMatchObject({
      outcome: 'refused',
      reason: 'config/too-large',
    });
  });

  it('falls back once to the oldest version with userData and stays with it', async () => {
    await start();
    const versions: string[] = [];
    const oldService: RequestListener = (request, response) => {
      const version = new URL(request.url!, 'http://localhost').searchParams.get('api-version')!;
      versions.push(version);
      if (version !== '2021-01-01') response.writeHead(400).end();
      else response.end(JSON.stringify({ compute: { userData } }));
    };
    await withServer(oldService, async (url) => {
      const old = source(url);
      await old.fetch(once);
      await old.fetch(once);
    });
    expect(versions).toEqual(['2023-07-01', '2021-01-01', '2021-01-01']);
  });

  it.each([
    ['not-found', 'metadata/not-found'],
    ['gone', 'metadata/gone'],
    ['throttled', 'metadata/throttled'],
    ['server-error', 'metadata/server-error'],
    ['unavailable', 'metadata/server-error'],
    ['partial-json', 'metadata/bad-answer'],
    ['cut-off', 'metadata/bad-answer'],
    ['reset', 'metadata/bad-answer'],
  ] as const)('reports the reason for %s', async (kind, reason) => {
    const source = await start({ misbehave: [{ kind }] });
    await expect(source.fetch(once)).rejects.toMatchObject({ reason, isFinal: false });
  });

  it.each(['hang', 'slow-bytes'] as const)('times out on %s', async (kind) => {
    const never = { nowMs: () => 0, sleep: () => new Promise<void>(() => {}) };
    const source = await start({ misbehave: [{ kind }], clock: never });
    await expect(source.fetch({ timeoutMs: 50 })).rejects.toMatchObject({ reason: 'metadata/timed-out' });
  });

  it('accepts a response that arrives byte by byte', async () => {
    const source = await start({ misbehave: [{ kind: 'slow-bytes' }], clock: fakeClock() });
    expect((await source.fetch({ timeoutMs: 60_000 })).document).toBeDefined();
  });

  it('honours Retry-After', async () => {
    const source = await start({ misbehave: [{ kind: 'throttled', retryAfterS: 7 }] });
    const failure: MetadataFailure = await source.fetch(once).then(
      () => expect.unreachable(),
      (error) => error,
    );
    expect(failure.retryAfterMs).toBe(7000);
  });

  it('rejects with the reason of the signal when it is aborted', async () => {
    const source = await start({ misbehave: [{ kind: 'hang' }] });
    const controller = new AbortController();
    const fetching = source.fetch({ timeoutMs: 60_000, signal: controller.signal });
    controller.abort(new Error('stop'));
    await expect(fetching).rejects.toThrow('stop');
  });
});

describe('fetchPersistently', () => {
  it('reads twice and returns a document that is the same both times', async () => {
    await start();
    const { fetched } = await persistently();
    expect(JSON.parse(Buffer.from(fetched.document!).toString())).toEqual(document);
    expect(imds.requests).toHaveLength(2);
  });

  it('does not return a document that is replaced while it is read', async () => {
    const after = Buffer.from(bytesOf(aDocument({ kubelet: { maxPods: 120 } }, { generation: 2 }))).toString('base64');
    await start({ misbehave: [{ kind: 'changed', times: 1, userData: after }] });
    const { fetched, events } = await persistently();
    expect(Buffer.from(fetched.document!).toString('base64')).toBe(after);
    expect(events).toMatchObject([{ kind: 'failed', reason: 'metadata/changing' }]);
  });

  it('waits for a service that starts late and counts the refusals', async () => {
    const gate = Promise.withResolvers<void>();
    await start({ misbehave: [{ kind: 'late-start' }], clock: { nowMs: () => 0, sleep: () => gate.promise } });
    const clock = fakeClock();
    let slept = 0;
    const { fetched, events } = await persistently({
      clock: {
        ...clock,
        sleep: async (ms) => {
          if (++slept === 5) gate.resolve();
          await new Promise((resolve) => setImmediate(resolve)); // lets the service listen
          await clock.sleep(ms);
        },
      },
    });
    expect(fetched.document).toBeDefined();
    expect(slept).toBeGreaterThanOrEqual(5);
    expect(events).toEqual([expect.objectContaining({ kind: 'failed', reason: 'metadata/refused', refusals: 1 })]);
  });

  it.each(Object.keys(MISBEHAVIOURS).filter((kind) => kind !== 'late-start') as MisbehaviourKind[])(
    'survives one %s',
    async (kind) => {
      const never = { nowMs: () => 0, sleep: () => new Promise<void>(() => {}) };
      await start({ misbehave: [{ kind, times: 1 }], clock: never });
      const { fetched } = await persistently({ profile: { firstTimeoutMs: 500, maxTimeoutMs: 60_000 } });
      const isAnswered = fetched.document !== undefined || kind === 'empty';
      expect(isAnswered).toBe(true);
    },
  );

  it('continues after different failures and reports each cause once', async () => {
    await start({
      misbehave: [
        { kind: 'gone', times: 3 },
        { kind: 'server-error', times: 2 },
        { kind: 'cut-off', times: 1 },
      ],
    });
    const { fetched, events } = await persistently();
    expect(fetched.document).toBeDefined();
    expect(events.map((event) => 'reason' in event && event.reason)).toEqual([
      'metadata/gone',
      'metadata/server-error',
      'metadata/bad-answer',
    ]);
  });

  it('is degraded after five minutes, retries every thirty seconds, and recovers', async () => {
    await start({ misbehave: [{ kind: 'gone' }] });
    const clock = fakeClock();
    const pauses: number[] = [];
    const { events, fetched } = await persistently({
      clock: {
        ...clock,
        sleep: async (ms) => {
          pauses.push(ms);
          if (pauses.length === 150) imds.behave();
          await clock.sleep(ms);
        },
      },
    });
    expect(fetched.document).toBeDefined();
    expect(events.map(({ kind }) => kind)).toEqual(['failed', 'degraded']);
    const degradedAt = pauses.indexOf(30_000);
    const before = pauses.slice(0, degradedAt).reduce((sum, ms) => sum + ms, 0);
    expect(before).toBeGreaterThanOrEqual(300_000 - 5000);
    expect(before).toBeLessThan(310_000);
    expect(new Set(pauses.slice(degradedAt))).toEqual(new Set([30_000]));
  });

  it('keeps its deadline when the clock is set while it waits', async () => {
    await start({ misbehave: [{ kind: 'gone', times: 40 }] });
    let nowMs = 0;
    const { events } = await persistently({
      clock: {
        nowMs: () => {
          nowMs += 50 * 365 * 86_400_000; // half a century with every look
          return nowMs;
        },
        sleep: async () => {},
      },
      profile: { firstTimeoutMs: 10, maxTimeoutMs: 10 },
    });
    expect(events.filter(({ kind }) => kind === 'degraded')).toEqual([]);
  });

  it('stops at once when its signal is aborted', async () => {
    await start({ misbehave: [{ kind: 'gone' }] });
    const controller = new AbortController();
    const clock = fakeClock();
    const stop = { ...clock, sleep: async () => controller.abort(new Error('stop')) };
    await expect(persistently({ clock: stop, signal: controller.signal })).rejects.toThrow('stop');
  });

  it('gives up on a request that both versions reject', async () => {
    await start();
    const refusing: RequestListener = (_, response) => response.writeHead(400).end();
    const retry = { clock: fakeClock(), random: () => 0 };
    await withServer(refusing, async (url) => {
      const rejected = { reason: 'metadata/rejected', isFinal: true };
      await expect(fetchPersistently(source(url), retry)).rejects.toMatchObject(rejected);
    });
  });
});

describe('a hostile or broken service', () => {
  const answers: readonly (readonly [what: string, answer: RequestListener])[] = [
    ['an endless response', (_, response) => void endless(response)],
    ['a service that is not HTTP', (request) => void request.socket.end('SSH-2.0-OpenSSH_9.2\r\n')],
    ['a redirect', (_, response) => void response.writeHead(302, { Location: 'http://example.com/' }).end()],
    ['JSON that is not an instance', (_, response) => void response.end('[]')],
    ['userData that is not text', (_, response) => void response.end('{"compute":{"userData":{"a":1}}}')],
    ['userData that is not base64', (_, response) => void response.end('{"compute":{"userData":"kind: NodeConfig"}}')],
    ['truncated userData', (_, response) => void response.end('{"compute":{"userData":"YWJjZ"}}')],
  ];

  it.each(answers)('is a retryable failure: %s', async (_, answer) => {
    await start();
    await withServer(answer, async (url) => {
      const failure = {
        name: 'MetadataFailure',
        isFinal: false,
        message: expect.not.stringMatching(/YWJjZ|NodeConfig/),
      };
      await expect(source(url).fetch(once)).rejects.toMatchObject(failure);
    });
  });

  it('is requested directly, even if the environment sets a proxy', async () => {
    await start();
    const script = `
      import { azureSource } from ${JSON.stringify(new URL('./azure.ts', import.meta.url).href)};
      const source = azureSource({ clock: { nowMs: () => 0 }, newRequestId: () => 'x', url: ${JSON.stringify(imds.url)} });
      const { document } = await source.fetch({ timeoutMs: 20_000 });
      process.stdout.write(document);
    `;
    const proxy = 'http://127.0.0.1:9';
    const env = { NODE_USE_ENV_PROXY: '1', HTTP_PROXY: proxy, http_proxy: proxy, ALL_PROXY: proxy, NO_PROXY: '' };
    const { code, stdout, stderr } = await runCommand([process.execPath, '--input-type=module', '-e', script], { env });
    expect(stderr).toBe('');
    expect(code).toBe(0);
    expect(JSON.parse(stdout.toString())).toEqual(document);
  });
});

function endless(response: ServerResponse): void {
  if (response.write(Buffer.alloc(1 << 16, ' '))) setImmediate(endless, response);
  else response.once('drain', () => endless(response));
}
