// vms/qemu/metadata-service/misbehave.ts: which faults can the platform simulate? Pure; start.ts applies them.
import { gzipSync } from 'node:zlib';
import type { PlatformServer } from './answer.ts';
import type { PlatformResponse } from './http.ts';
import type { InstanceMetadata } from './instance-file.ts';

/** Keys are the values of `--misbehave`. */
export const MISBEHAVIOURS = {
  'late-start': 'nothing listens for a while (30 s)',
  'not-found': '404',
  gone: '410, as while the platform is being updated',
  throttled: '429 with Retry-After',
  'server-error': '500',
  unavailable: '503',
  'slow-bytes': 'one byte every 100 ms',
  'partial-json': 'half of the document, as a complete response',
  'cut-off': 'the connection closes in the middle of the response',
  empty: '200 with an empty body',
  newlines: 'user data in lines of 76 characters',
  gzip: 'user data compressed',
  oversize: 'user data above the limit of 64 KiB',
  changed: 'user data changes while the response is sent, and stays changed',
  reset: 'the connection is reset without a response',
  hang: 'no response, ever',
} as const;

export type MisbehaviourKind = keyof typeof MISBEHAVIOURS;

export interface Misbehaviour {
  kind: MisbehaviourKind;
  /** How many requests are affected. Default: all. `late-start` ends once the server listens. */
  times?: number;
  /** Which of the two servers. Default: the metadata service. */
  on?: PlatformServer;
  /** For `late-start` and `slow-bytes`. */
  delayMs?: number;
  /** For `throttled`. Default: 5. */
  retryAfterS?: number;
  /** For `changed`: the new user data, base64. */
  userData?: string;
}

export function isKind(word: string): word is MisbehaviourKind {
  return Object.hasOwn(MISBEHAVIOURS, word);
}

/** The instance with faulty user data, for the kinds that affect it. */
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

/** The faulty response, for the kinds that replace the response. */
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
 * What a reader gets when the document is replaced while it is sent: the old text up to the middle of the difference, then the new text.
 * The result is still JSON if both texts were; only the changed value is corrupt.
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
