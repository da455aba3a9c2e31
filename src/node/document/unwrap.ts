// node/document/unwrap.ts: which text is in these bytes? The document itself, or wrapped as user data often is: base64, gzip, or
// a part of a MIME message (for images on which cloud-init reads the same bytes).
import { gunzipSync } from 'node:zlib';
import type { ReasonCode } from '../reason-codes.ts';
import type { Problem } from './problem.ts';

/** The most that instance metadata can carry. */
export const MAX_DELIVERED_BYTES = 65_536;
/** Limit for the unwrapped text. */
export const MAX_TEXT_BYTES = 1 << 20;
/** Ends the loop for a file that unpacks to itself. */
const MAX_LAYERS = 4;
const MAX_HEAD_CHARS = 4096;
export const MIME_TYPE = 'application/vnd.headstart.node-config';

export type UnwrapResult = { text: string } | { problem: Problem };

export function unwrap(delivered: Uint8Array, maxBytes = MAX_DELIVERED_BYTES): UnwrapResult {
  if (delivered.length > maxBytes) {
    return problem('config/too-large', `has ${delivered.length} bytes, more than the limit of ${maxBytes}`);
  }
  let bytes: Buffer = Buffer.from(delivered.buffer, delivered.byteOffset, delivered.byteLength);
  for (let layer = 0; layer < MAX_LAYERS; layer++) {
    const inner = isGzip(bytes) ? gunzip(bytes) : (mimePart(bytes) ?? fromBase64(bytes));
    if (inner === undefined) return decode(bytes);
    if ('problem' in inner) return inner;
    bytes = inner.bytes;
  }
  return problem('config/not-readable', 'is wrapped too many times');
}

type InnerContent = { bytes: Buffer } | { problem: Problem } | undefined;

function isGzip(bytes: Buffer): boolean {
  return bytes[0] === 0x1f && bytes[1] === 0x8b;
}

function gunzip(bytes: Buffer): InnerContent {
  try {
    return { bytes: gunzipSync(bytes, { maxOutputLength: MAX_TEXT_BYTES }) };
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ERR_BUFFER_TOO_LARGE') return problem('config/too-large', 'unpacks to more than 1 MiB');
    if (code === 'Z_BUF_ERROR') return problem('config/truncated', 'is truncated gzip');
    return problem('config/not-readable', 'is damaged gzip');
  }
}

/** Text of only these characters is base64: a document needs others, such as a colon. */
function fromBase64(bytes: Buffer): InnerContent {
  // Remove spaces first: a pattern that allows them everywhere is far too slow on a megabyte of spaces.
  const text = bytes.toString('latin1').replace(/\s+/g, '');
  if (text.length < 16 || !/^[A-Za-z0-9+/]+={0,2}$/.test(text)) return undefined;
  if (text.replace(/=+$/, '').length % 4 === 1) return problem('config/truncated', 'is truncated base64');
  return { bytes: Buffer.from(text, 'base64') };
}

/** The only part with our content type; undefined if this is not a MIME message. */
function mimePart(bytes: Buffer): InnerContent {
  const message = bytes.toString('latin1');
  if (!/^(?:content-type|mime-version):/i.test(message)) return undefined;
  const whole = splitHead(message);
  const boundary = /multipart\/[^;]+;[\s\S]*?boundary="?([^"\s;]+)"?/i.exec(whole.head.slice(0, MAX_HEAD_CHARS))?.[1];
  if (boundary === undefined)
    return isOurs(whole.head)
      ? content(whole)
      : problem('config/not-a-node-config', `is a MIME message without the content type ${MIME_TYPE}`);
  const pieces = `\n${whole.body}`.split(`\n--${boundary}`);
  if (pieces.length < 2 || !pieces.at(-1)!.startsWith('--')) {
    return problem('config/truncated', 'is a truncated MIME message');
  }
  const ours = pieces
    .slice(1, -1)
    .map((piece) => splitHead(piece.replace(/^[ \t]*\r?\n/, '')))
    .filter(({ head }) => isOurs(head));
  if (ours.length === 1) return content(ours[0]!);
  const found = ours.length === 0 ? 'has no part' : 'has more than one part';
  return problem('config/not-a-node-config', `is a MIME message that ${found} of type ${MIME_TYPE}`);
}

interface MimePart {
  head: string;
  body: string;
}

function splitHead(message: string): MimePart {
  const end = /\r?\n\r?\n/.exec(message);
  if (!end) return { head: message, body: '' };
  return { head: message.slice(0, end.index), body: message.slice(end.index + end[0].length) };
}

function isOurs(head: string): boolean {
  return new RegExp(`^content-type:\\s*${MIME_TYPE.replaceAll('.', '\\.')}(?:\\+(?:json|yaml))?\\s*(?:;|$)`, 'im').test(
    head,
  );
}

function content({ head, body }: MimePart): InnerContent {
  const encoding = /^content-transfer-encoding:\s*(\S+)/im.exec(head)?.[1]?.toLowerCase() ?? '8bit';
  if (encoding === 'base64') return { bytes: Buffer.from(body, 'base64') };
  if (/^(?:7bit|8bit|binary)$/.test(encoding)) return { bytes: Buffer.from(body.replace(/\r?\n$/, ''), 'latin1') };
  return problem(
    'config/not-readable',
    'is a MIME part in an unsupported encoding; expected base64, 7bit, 8bit or binary',
  );
}

function decode(bytes: Buffer): UnwrapResult {
  if (bytes.length > MAX_TEXT_BYTES) return problem('config/too-large', 'is more than 1 MiB');
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    if (!text.includes('\u0000')) return { text };
    return problem('config/not-readable', 'contains NUL characters');
  } catch {
    return problem('config/not-readable', 'is not UTF-8 text');
  }
}

function problem(reason: ReasonCode, message: string): { problem: Problem } {
  return { problem: { reason, path: '', message } };
}
