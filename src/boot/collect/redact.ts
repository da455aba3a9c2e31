// boot/collect/redact.ts: removes secrets from bytes. Stamps, names and structure stay, so the result still parses.
import { decodeText } from '../load/input.ts';
import { redactJson } from './redact/json.ts';
import { redactKvp } from './redact/kvp.ts';
import { createLineRedactor, mayHoldSecret, type RedactLine } from './redact/line.ts';

/** text: logs, listings, JSON and JSON lines, distinguished by content · kvp: fixed-width records of a Hyper-V pool. */
export type RedactAs = 'text' | 'kvp';

/** Never throws. Idempotent. */
export function redact(bytes: Uint8Array, as: RedactAs = 'text'): Uint8Array {
  if (as === 'kvp') return redactKvp(bytes, redactText);
  if (isUtf16(bytes)) return redactUtf16(bytes);
  const encoding = isUtf8(bytes) ? 'utf8' : 'latin1'; // latin1 preserves every byte
  return Buffer.from(redactText(Buffer.from(bytes).toString(encoding)), encoding);
}

export function redactText(text: string): string {
  return redactAtDepth(text, 0);
}

/** A log event may contain JSON in a JSON string in a JSON string; deeper levels are treated as plain text. */
const MAX_NESTING = 4;

function redactAtDepth(text: string, depth: number): string {
  const bom = text.startsWith('\ufeff') ? '\ufeff' : '';
  const body = text.slice(bom.length);
  const redactString = (value: string) => (mayHoldSecret(value) ? redactAtDepth(value, depth + 1) : value);
  if (depth < MAX_NESTING && isJson(body)) return bom + redactJson(body, redactString);
  const redactPlain = createLineRedactor();
  return (
    bom + redactLines(body, (line) => (isJson(line) ? redactEntry(line, redactPlain, redactString) : redactPlain(line)))
  );
}

/** A journal has one entry per line of a key file, so a secret may continue in the MESSAGE of the next entry. */
function redactEntry(line: string, redactPlain: RedactLine, redactString: (value: string) => string): string {
  return redactJson(line, (value, key) =>
    key === 'MESSAGE' && !isJson(value) ? redactLines(value, redactPlain) : redactString(value),
  );
}

function redactLines(text: string, redactLine: RedactLine): string {
  return text
    .split('\n')
    .map((line) => (line.endsWith('\r') ? `${redactLine(line.slice(0, -1))}\r` : redactLine(line)))
    .join('\n');
}

function isJson(text: string): boolean {
  const first = text.trimStart()[0];
  if (first !== '{' && first !== '[') return false;
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function isUtf8(bytes: Uint8Array): boolean {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return true;
  } catch {
    return false;
  }
}

/** With a byte order mark, or ASCII text in which every other byte is zero. */
function isUtf16(bytes: Uint8Array): boolean {
  if ((bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff)) return true;
  return zerosAt(bytes, 1) || zerosAt(bytes, 0);
}

function zerosAt(bytes: Uint8Array, offset: 0 | 1): boolean {
  const head = bytes.subarray(0, 64);
  if (head.length < 4) return false;
  return head.every((byte, i) => (byte === 0) === (i % 2 === offset));
}

function redactUtf16(bytes: Uint8Array): Uint8Array {
  const isBigEndian = bytes[0] === 0xfe || bytes[0] === 0;
  const hasMark = bytes[0]! >= 0xfe;
  const text = hasMark ? decodeText(bytes) : new TextDecoder(isBigEndian ? 'utf-16be' : 'utf-16le').decode(bytes);
  const redacted = Buffer.from((hasMark ? '\ufeff' : '') + redactText(text), 'utf16le');
  return isBigEndian ? redacted.swap16() : redacted;
}
