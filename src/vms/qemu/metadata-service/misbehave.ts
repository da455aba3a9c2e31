// vms/qemu/metadata-service/misbehave.ts: in which ways can a platform let a node down? Pure; start.ts acts on what is decided here.
import { gzipSync } from 'node:zlib';
import type { PlatformServer } from './answer.ts';
import type { PlatformResponse } from './http.ts';
import type { InstanceMetadata } from './instance-file.ts';

/** Every kind, in the words of `--misbehave`. */
export const MISBEHAVIOURS = {
  'late-start': 'nothing listens for a while (30 s)',
  'not-found': '404',
  gone: '410, as while the platform is being updated',
  throttled: '429 with Retry-After',
  'server-error': '500',
  unavailable: '503',
  'slow-bytes': 'one byte every 100 ms',
  'partial-json': 'half a document, well delivered',
  'cut-off': 'the connection ends in the middle of the answer',
  empty: '200 and nothing',
  newlines: 'user data in lines of 76 characters',
  gzip: 'user data compressed',
  oversize: 'user data above the limit of 64 KiB',
  changed: 'user data changes while the answer is sent, and stays changed',
  reset: 'the connection is reset instead of an answer',
  hang: 'no answer, ever',
} as const;

export type MisbehaviourKind = keyof typeof MISBEHAVIOURS;

export interface Misbehaviour {
  kind: MisbehaviourKind;
  /** How many requests suffer; all, if it is not said. `late-start` is over once it listens. */
  times?: number;
  /** Which of the two servers; the metadata service, if it is not said. */
  on?: PlatformServer;
  /** `late-start`, `slow-bytes`: how long. */
  delayMs?: number;
  /** `throttled`; 5, if it is not said. */
  retryAfterS?: number;
  /** `changed`: base64 of what user data becomes. */
  userData?: string;
}

export function isKind(word: string): word is MisbehaviourKind {
  return Object.hasOwn(MISBEHAVIOURS, word);
}

/** What the service believes of the instance while it misbehaves so. */
export function spoilInstance({ kind }: Misbehaviour, instance: InstanceMetadata): InstanceMetadata {
  const content = Buffer.from(instance.userData ?? '', 'base64');
  switch (kind) {
    case 'newlines':
      return { ...instance, userData: (instance.userData ?? '').replace(/.{1,76}/g, '$&\n') };
    case 'gzip':
      return { ...instance, userData: gzipSync(content).toString('base64') };
    case 'oversize':
      return { ...instance, userData: Buffer.concat([content, Buffer.alloc(64 * 1024, '#')]).toString('base64') };
    default:
      return instance;
  }
}

/** What it says in the place of its answer. */
export function spoilResponse({ kind, retryAfterS = 5 }: Misbehaviour, response: PlatformResponse): PlatformResponse {
  const half = response.body.slice(0, Math.ceil(response.body.length / 2));
  switch (kind) {
    case 'not-found':
      return failure(404, 'Not found');
    case 'gone':
      return failure(410, 'The resource is not available; retry for up to 70 seconds');
    case 'throttled':
      return failure(429, 'Too many requests', { 'Retry-After': String(retryAfterS) });
    case 'server-error':
      return failure(500, 'Internal error; retry later');
    case 'unavailable':
      return failure(503, 'Service unavailable; retry later');
    case 'partial-json':
      return { ...response, body: half };
    case 'empty':
      return { ...response, body: '' };
    default:
      return response;
  }
}

/**
 * What a reader gets when the document is replaced while it is sent: the old one up to the middle of what differs, then the new one.
 * The result is still JSON where both were; only the value that changed is torn.
 */
export function spliced(before: string, after: string): string {
  const shorter = Math.min(before.length, after.length);
  let prefix = 0;
  while (prefix < shorter && before[prefix] === after[prefix]) prefix += 1;
  let suffix = 0;
  while (suffix < shorter - prefix && before.at(-1 - suffix) === after.at(-1 - suffix)) suffix += 1;
  const middleOf = (text: string) => prefix + Math.floor((text.length - suffix - prefix) / 2);
  return before.slice(0, middleOf(before)) + after.slice(middleOf(after));
}

function failure(status: number, error: string, headers: Record<string, string> = {}): PlatformResponse {
  return {
    status,
    headers: { 'Content-Type': 'application/json; charset=utf-8', ...headers },
    body: JSON.stringify({ error }),
  };
}
