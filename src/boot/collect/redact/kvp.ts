// boot/collect/redact/kvp.ts: removes secrets from a Hyper-V key-value pool; every record keeps its position.

const KEY_BYTES = 512;
const VALUE_BYTES = 2048;
const RECORD_BYTES = KEY_BYTES + VALUE_BYTES;

export function redactKvp(bytes: Uint8Array, redactText: (text: string) => string): Uint8Array {
  const out = Buffer.from(bytes);
  for (let at = 0; at < out.length; at += RECORD_BYTES) {
    const keyEnd = Math.min(at + KEY_BYTES, out.length);
    const key = textBefore(out.subarray(at, keyEnd));
    replace(out, at, keyEnd, redactText(key));
    const valueEnd = Math.min(at + RECORD_BYTES, out.length);
    if (keyEnd === valueEnd) continue;
    const value = textBefore(out.subarray(keyEnd, valueEnd));
    replace(out, keyEnd, valueEnd, redactText(isFreeText(key, value) ? withoutMessage(value) : value));
  }
  return out;
}

function textBefore(field: Buffer): string {
  const end = field.indexOf(0);
  return field.subarray(0, end < 0 ? field.length : end).toString('latin1');
}

function replace(out: Buffer, from: number, to: number, text: string): void {
  out.fill(0, from, to); // the bytes after the first zero are leftovers of older, longer values
  out.write(text, from, to - from, 'latin1');
}

/** A log dump, or a slice of a longer text: part of a secret in it may not match any pattern. */
function isFreeText(key: string, value: string): boolean {
  return /\|(?:diagnostic|compressed)\|/.test(key) || value.includes('"msg_i"');
}

function withoutMessage(value: string): string {
  const start = /"msg"\s*:\s*"/.exec(value);
  return start ? `${value.slice(0, start.index)}${start[0]}[redacted]"}` : value;
}
