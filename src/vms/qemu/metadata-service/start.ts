// vms/qemu/metadata-service/start.ts: serve the platform of one instance on a loopback port, for tests and manual use. Open this file first.
import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { type Clock, systemClock } from '../../../base/clock.ts';
import { answer, type PlatformServer, serverOf } from './answer.ts';
import { serveConnection } from './connection.ts';
import type { HealthReport } from './health.ts';
import { type PlatformRequest, type PlatformResponse, renderResponse } from './http.ts';
import type { InstanceMetadata } from './instance-file.ts';
import { type Misbehaviour, type MisbehaviourKind, spliced, spoilInstance, spoilResponse } from './misbehave.ts';
import type { WireResponse } from './wire-server.ts';

export interface ImdsOptions {
  /** A function is called for every request. */
  instance: InstanceMetadata | (() => InstanceMetadata);
  misbehave?: readonly Misbehaviour[];
  /** 0: any free port. */
  port?: number;
  clock?: Clock;
  onReport?(report: HealthReport): void;
}

export interface ImdsExchange {
  platform: PlatformServer;
  method: string;
  path: string;
  query: string;
  headers: Readonly<Record<string, string>>;
  /** The status of the response, even if a fault kept it from being sent. */
  status: number;
  misbehaviour?: MisbehaviourKind;
}

export interface Imds {
  /** Serves both servers; the path decides which one. */
  url: string;
  requests: readonly ImdsExchange[];
  reports: readonly HealthReport[];
  /** base64; null removes it. */
  setUserData(userData: string | null): void;
  misbehave(dial: Misbehaviour): void;
  behave(): void;
  stop(): Promise<void>;
}

/** Resolves when the server listens; with `late-start`, as soon as its port is known. */
export async function startImds(options: ImdsOptions): Promise<Imds> {
  const { clock = systemClock } = options;
  const dials = (options.misbehave ?? []).map((dial) => ({ ...dial }));
  const requests: ImdsExchange[] = [];
  const reports: HealthReport[] = [];
  let userData: string | null | undefined; // undefined: the instance's user data
  const sockets = new Set<Socket>();
  const stopping = new AbortController();

  const instance = () => {
    const { userData: own, ...rest } = typeof options.instance === 'function' ? options.instance() : options.instance;
    const now = userData === undefined ? own : userData;
    return { ...rest, ...(typeof now === 'string' && { userData: now }) };
  };

  async function exchange(socket: Socket, request: PlatformRequest): Promise<void> {
    const platform = serverOf(request);
    const dial = takeDial(dials, platform);
    const before = answerOr500(request, instance, clock.nowMs());
    if (dial?.kind === 'changed') userData = dial.userData ?? Buffer.from('changed').toString('base64');
    const asSeen = () => (dial ? spoilInstance(dial, instance()) : instance());
    const { response, report } = answerOr500(request, asSeen, clock.nowMs());
    const sent = dial ? spoilResponse(dial, response) : response;
    const body = dial?.kind === 'changed' ? spliced(before.response.body, sent.body) : sent.body;
    const { method, path, headers } = request;
    const query = request.query.toString();
    const misbehaviour = dial && { misbehaviour: dial.kind };
    requests.push({ platform, method, path, query, headers, status: sent.status, ...misbehaviour });
    if (report !== undefined && sent === response) {
      reports.push(report);
      options.onReport?.(report);
    }
    const bytes = renderResponse({ ...sent, body }, { nowMs: clock.nowMs(), isLast: request.isLast });
    await deliver(socket, bytes, dial, clock);
  }

  const server = createServer({ allowHalfOpen: true }, (socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    socket.on('error', () => socket.destroy()); // the client disconnected
    const refuse = async (response: PlatformResponse) => {
      socket.end(renderResponse(response, { nowMs: clock.nowMs(), isLast: true }));
    };
    serveConnection({
      input: socket.iterator({ destroyOnReturn: false }),
      exchange: (request) => exchange(socket, request),
      refuse,
    }).then(
      () => socket.end(),
      () => socket.destroy(),
    );
  });
  const port = await listen(server, options.port ?? 0);
  const late = dials.find(({ kind }) => kind === 'late-start');
  if (late) await close(server); // the port is known now and refuses connections
  const lateStart =
    late &&
    clock.sleep(late.delayMs ?? 30_000, stopping.signal).then(
      () => listen(server, port),
      () => undefined, // stopped before it started
    );
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    reports,
    setUserData(next) {
      userData = next;
    },
    misbehave: (dial) => dials.push({ ...dial }),
    behave: () => dials.splice(0),
    async stop() {
      stopping.abort();
      for (const socket of sockets) socket.destroy();
      await lateStart; // the server may be about to listen
      await close(server);
    },
  };
}

/** The first fault for this server that is not used up. */
function takeDial(dials: Misbehaviour[], platform: PlatformServer): Misbehaviour | undefined {
  const dial = dials.find(({ kind, on = 'imds', times = 1 }) => kind !== 'late-start' && on === platform && times > 0);
  if (dial?.times !== undefined) dial.times -= 1;
  return dial;
}

function answerOr500(request: PlatformRequest, instance: () => InstanceMetadata, nowMs: number): WireResponse {
  try {
    return answer(request, instance(), nowMs);
  } catch (error) {
    return { response: { status: 500, body: (error as Error).message } };
  }
}

async function deliver(socket: Socket, bytes: Buffer, dial: Misbehaviour | undefined, clock: Clock): Promise<void> {
  switch (dial?.kind) {
    case 'reset':
      socket.resetAndDestroy();
      return;
    case 'hang':
      await once(socket, 'close');
      return;
    case 'cut-off':
      await write(socket, bytes.subarray(0, bytes.length / 2));
      socket.destroy();
      return;
    case 'slow-bytes':
      for (let i = 0; i < bytes.length && !socket.destroyed; i++) {
        await write(socket, bytes.subarray(i, i + 1));
        await clock.sleep(dial.delayMs ?? 100);
      }
      return;
    default:
      await write(socket, bytes);
  }
}

function write(socket: Socket, bytes: Buffer): Promise<void> {
  return new Promise((resolve) => {
    socket.write(bytes, () => resolve());
  });
}

function listen(server: Server, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', () => {
      server.off('error', reject);
      resolve((server.address() as AddressInfo).port);
    });
  });
}

function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve()); // also called when the server does not listen
  });
}
