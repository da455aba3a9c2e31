// cluster/kubernetes/testing.ts: an in-memory feed of lists and watches, and the objects of a new node.
import { TransientError } from '../../base/errors.ts';
import { fakeClock } from '../../base/fake-clock.ts';
import type { Client } from './connect.ts';
import type { Feed, Listener } from './feed.ts';
import type { WatchedKind } from './join-events.ts';

/** A CSR like kubelet's, with its subject only. */
export function signingRequest(commonName: string | undefined): string {
  const pair = (id: number, text: string) =>
    der(0x31, der(0x30, Buffer.concat([der(0x06, Buffer.from([0x55, 0x04, id])), der(0x0c, Buffer.from(text))])));
  const subject = [pair(10, 'system:nodes'), ...(commonName === undefined ? [] : [pair(3, commonName)])];
  const information = der(0x30, Buffer.concat([der(0x02, Buffer.from([0])), der(0x30, Buffer.concat(subject))]));
  const body = der(0x30, information).toString('base64');
  const pem = `-----BEGIN CERTIFICATE REQUEST-----\n${body}\n-----END CERTIFICATE REQUEST-----\n`;
  return Buffer.from(pem).toString('base64');
}

function der(tag: number, body: Buffer): Buffer {
  const length = body.length < 0x80 ? [body.length] : [0x82, body.length >> 8, body.length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...length]), body]);
}

export interface ApiObject {
  metadata: { name: string; uid: string; namespace?: string; creationTimestamp?: string; resourceVersion?: string };
  [part: string]: unknown;
}

const stampOf = (ms: number) => new Date(ms).toISOString().replace(/\.\d+Z$/, 'Z');

export function requestObject(
  uid: string,
  createdMs: number,
  {
    node = 'pool-000001',
    decided = [],
    isIssued = false,
  }: { node?: string; decided?: string[]; isIssued?: boolean } = {},
): ApiObject {
  return {
    metadata: { name: `node-csr-${uid}`, uid, creationTimestamp: stampOf(createdMs) },
    spec: { request: signingRequest(`system:node:${node}`) },
    status: {
      conditions: decided.map((type) => ({ type, status: 'True', reason: 'Because', message: `it was ${type}` })),
      ...(isIssued && { certificate: 'QUJD' }),
    },
  };
}

export interface NodeLook {
  name?: string;
  bootId?: string;
  /** Absent: no status yet. */
  ready?: 'True' | 'False' | 'Unknown';
  changedMs?: number;
  heardMs?: number;
  taints?: string[];
}

export function nodeObject(
  uid: string,
  createdMs: number,
  { name = 'pool-000001', bootId = '', ready, changedMs, heardMs, taints = [] }: NodeLook = {},
): ApiObject {
  const changed = changedMs === undefined ? {} : { lastTransitionTime: stampOf(changedMs) };
  const heard = heardMs === undefined ? {} : { lastHeartbeatTime: stampOf(heardMs) };
  return {
    metadata: { name, uid, creationTimestamp: stampOf(createdMs) },
    spec: { taints: taints.map((key) => ({ key, effect: 'NoSchedule' })) },
    status: {
      nodeInfo: { bootID: bootId },
      conditions: ready === undefined ? [] : [{ type: 'Ready', status: ready, ...changed, ...heard }],
    },
  };
}

export function podObject(uid: string, createdMs: number, phase: string, startedMs: readonly number[] = []): ApiObject {
  return {
    metadata: { name: `pod-${uid}`, namespace: 'default', uid, creationTimestamp: stampOf(createdMs) },
    status: {
      phase,
      containerStatuses: startedMs.map((ms) => ({ state: { running: { startedAt: stampOf(ms) } } })),
    },
  };
}

export interface FakeFeed extends Feed {
  put(what: WatchedKind, object: ApiObject): void;
  remove(what: WatchedKind, uid: string): void;
  /** Every open watch ends. */
  drop(): void;
  /** Older versions expire. */
  compact(): void;
  /** This many requests fail, with the given error or as unreachable. */
  failNext(count: number, error?: Error): void;
  /** The lists and watches that were requested. */
  asked: string[];
}

interface Change {
  what: WatchedKind;
  change: 'put' | 'deleted';
  object: ApiObject;
  version: number;
}

export function fakeFeed(): FakeFeed {
  const objects = new Map<WatchedKind, Map<string, ApiObject>>();
  const history: Change[] = [];
  const open = new Set<{ what: WatchedKind; listener: Listener; end(how: 'ended' | 'gone'): void }>();
  const failures: Error[] = [];
  const asked: string[] = [];
  let version = 1;
  let oldest = 0;

  function request(what: string): void {
    asked.push(what);
    const failure = failures.shift();
    if (failure) throw failure;
  }
  function note(what: WatchedKind, change: Change['change'], object: ApiObject): void {
    const versioned = { ...object, metadata: { ...object.metadata, resourceVersion: String(++version) } };
    history.push({ what, change, object: versioned, version });
    for (const watcher of open) if (watcher.what === what) watcher.listener.onChange(change, versioned);
  }
  const of = (what: WatchedKind) => objects.get(what) ?? objects.set(what, new Map()).get(what)!;

  return {
    asked,
    list: async (what) => {
      request(`list ${what}`);
      return { objects: [...of(what).values()], version: String(version) };
    },
    watch: async (what, from, listener, signal) => {
      request(`watch ${what}`);
      if (Number(from) < oldest) return 'gone';
      listener.onOpen();
      for (const old of history) {
        if (old.what === what && old.version > Number(from)) listener.onChange(old.change, old.object);
      }
      return new Promise((resolve) => {
        const watcher = { what, listener, end: (how: 'ended' | 'gone') => open.delete(watcher) && resolve(how) };
        open.add(watcher);
        signal.addEventListener('abort', () => watcher.end('ended'));
        if (signal.aborted) watcher.end('ended');
      });
    },
    put: (what, object) => {
      of(what).set(object.metadata.uid, object);
      note(what, 'put', object);
    },
    remove: (what, uid) => {
      const object = of(what).get(uid);
      of(what).delete(uid);
      if (object) note(what, 'deleted', object);
    },
    drop: () => {
      for (const watcher of open) watcher.end('ended');
    },
    compact: () => {
      oldest = version;
    },
    failNext: (count, error = new TransientError('away', { code: 'cluster/unreachable' })) => {
      failures.push(...Array.from({ length: count }, () => error));
    },
  };
}

/** A client with these functions as its API. Their errors are not translated; `undefined` means not found. */
export function clientOf(core: object, apps: object = {}, over: object = {}): Client {
  const call = async <T>(_asked: unknown, request: (options: object) => Promise<T>) => request({});
  return { core, apps, namespace: 'headstart', clock: fakeClock(), call, find: call, ...over } as unknown as Client;
}
