// boot/collect/redact/json.ts: removes secrets from a JSON document, and leaves every other byte unchanged.
import { REDACTED } from './line.ts';

const SECRET_KEY =
  /(?:passw(?:or)?d|passphrase|^pwd|secret|token|(?:api|account|access|private)[-_]?key|(?:custom|user|vendor)[-_]?data|protected[-_]?settings|authorization|credentials?|(?:ssh|public|authorized)[-_]?keys?|key[-_]?data|connection[-_]?string|chpasswd|^sig)$/i;

const TOKEN = /"[^"\\]*(?:\\.[^"\\]*)*"|[{}[\],]|[^"{}[\],]+/gsy;
const MAX_BYTE_ARRAY_CHARS = 1 << 20;

/** `text` is valid JSON. `redactString` gets each decoded string with its key. */
export function redactJson(text: string, redactString: (value: string, key: string) => string): string {
  const out: string[] = [];
  const keysAbove: string[] = [];
  let key = '';
  TOKEN.lastIndex = 0;
  for (let at = 0; at < text.length; ) {
    const token = tokenAt(text, at);
    at += token.length;
    if (token === '{' || token === '[') {
      if (SECRET_KEY.test(key)) {
        at = endOfValue(text, at);
        out.push(`"${REDACTED}"`);
        continue;
      }
      const bytes = token === '[' ? byteArrayAt(text, at) : undefined;
      if (bytes !== undefined) {
        out.push(redactByteArray(bytes, key, redactString));
        at += bytes.length + 1;
        continue;
      }
      keysAbove.push(key);
      out.push(token);
    } else if (token === '}' || token === ']') {
      key = keysAbove.pop() ?? '';
      out.push(token);
    } else if (token === ',') {
      key = keysAbove.at(-1) ?? '';
      out.push(token);
    } else if (token[0] === '"') {
      const value = JSON.parse(token) as string;
      if (isFollowedByColon(text, at)) {
        key = value;
        out.push(rewritten(token, value, redactString(value, '')));
      } else {
        out.push(rewritten(token, value, SECRET_KEY.test(key) ? REDACTED : redactString(value, key)));
      }
    } else {
      out.push(SECRET_KEY.test(key) ? token.replace(/-?\d[\d.eE+-]*/, `"${REDACTED}"`) : token);
    }
  }
  return out.join('');
}

function tokenAt(text: string, at: number): string {
  TOKEN.lastIndex = at;
  return TOKEN.exec(text)?.[0] ?? text.slice(at);
}

function isFollowedByColon(text: string, at: number): boolean {
  let next = at;
  while (/\s/.test(text[next] ?? '')) next++;
  return text[next] === ':';
}

/** A string without a secret keeps its original escapes. */
function rewritten(token: string, value: string, redacted: string): string {
  return redacted === value ? token : JSON.stringify(redacted);
}

/** The end of the object or array that starts just before `at`. */
function endOfValue(text: string, at: number): number {
  let end = at;
  for (let depth = 1; depth > 0 && end < text.length; ) {
    const token = tokenAt(text, end);
    end += token.length;
    if (token === '{' || token === '[') depth++;
    else if (token === '}' || token === ']') depth--;
  }
  return end;
}

/** journalctl prints text with unprintable bytes (such as colours) as an array of numbers, which may contain a secret too. */
function byteArrayAt(text: string, at: number): string | undefined {
  if (!/[\d\s]/.test(text[at] ?? '')) return undefined;
  const end = text.slice(at, at + MAX_BYTE_ARRAY_CHARS).indexOf(']');
  const inside = text.slice(at, at + end);
  return end > 0 && /^\s*\d{1,3}[\d\s,]*$/.test(inside) ? inside : undefined;
}

function redactByteArray(inside: string, key: string, redactString: (value: string, key: string) => string): string {
  const numbers = inside.split(',').map(Number);
  if (!numbers.every((n) => Number.isInteger(n) && n < 256)) return `[${inside}]`;
  const value = Buffer.from(numbers).toString('latin1');
  // A colour code may split a secret, so search the text without colour codes.
  const bare = value.replace(/\x1b\[[0-9;]*[A-Za-z]/g, '');
  const redacted = redactString(bare, key);
  return redacted === bare ? `[${inside}]` : `[${[...Buffer.from(redacted, 'latin1')].join(',')}]`;
}
