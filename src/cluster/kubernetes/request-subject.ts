// cluster/kubernetes/request-subject.ts: for which common name is a CSR? Node.js parses certificates but not CSRs (RFC 2986), and
// only the common name is needed.

/** `system:node:pool-000001`, from a base64-encoded PEM as in the API. undefined if it is not a CSR. */
export function requestedName(request: string): string | undefined {
  const pem = Buffer.from(request, 'base64').toString('latin1');
  const body = /-----BEGIN (?:NEW )?CERTIFICATE REQUEST-----([A-Za-z0-9+/=\s]{1,65536})-----END/.exec(pem)?.[1];
  const whole = body === undefined ? undefined : first(Buffer.from(body, 'base64'));
  const information = whole && first(whole.value);
  const [, subject] = information ? partsOf(information.value) : [];
  for (const set of subject ? partsOf(subject.value) : []) {
    for (const pair of partsOf(set.value)) {
      const [id, text] = partsOf(pair.value);
      if (id?.value.equals(COMMON_NAME) && text && TEXTS.has(text.tag)) return text.value.toString('utf8');
    }
  }
  return undefined;
}

const COMMON_NAME = Buffer.from([0x55, 0x04, 0x03]); // 2.5.4.3
/** UTF8String, PrintableString, TeletexString, IA5String: one byte per character for ASCII. */
const TEXTS: ReadonlySet<number> = new Set([0x0c, 0x13, 0x14, 0x16]);

interface Part {
  tag: number;
  value: Buffer;
  rest: Buffer;
}

function partsOf(bytes: Buffer): Part[] {
  const parts: Part[] = [];
  for (let part = first(bytes); part; part = first(part.rest)) parts.push(part);
  return parts;
}

/** The first DER element; undefined at the end and for truncated input. */
function first(bytes: Buffer): Part | undefined {
  const [tag, short] = bytes;
  if (tag === undefined || short === undefined) return undefined;
  const lengthBytes = short < 0x80 ? 0 : short & 0x7f;
  if (lengthBytes > 4 || bytes.length < 2 + lengthBytes) return undefined;
  const length = lengthBytes === 0 ? short & 0x7f : bytes.readUIntBE(2, lengthBytes);
  const from = 2 + lengthBytes;
  if (from + length > bytes.length) return undefined;
  return { tag, value: bytes.subarray(from, from + length), rest: bytes.subarray(from + length) };
}
