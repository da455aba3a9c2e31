// schema/formats.ts: which formats can a single value have? Names, addresses, paths, times, spans, certificates; shared by all documents.
// Patterns are part of the published JSON Schemas; code checks what a pattern cannot express.
import { X509Certificate } from 'node:crypto';
import { isIP, isIPv4 } from 'node:net';
import * as z from 'zod/mini';
import { parseSpan } from '../base/duration.ts';

/** `description` is published in the docs and in the JSON Schema. */
export function field<S extends z.ZodMiniType>(description: string, schema: S): S {
  return described(schema, { description });
}

/** A field with a value that must never be printed. */
export function secret<S extends z.ZodMiniType>(description: string, schema: S): S {
  return described(schema, { description, writeOnly: true });
}

function described<S extends z.ZodMiniType>(schema: S, meta: Record<string, unknown>): S {
  const copy = z.clone(schema);
  z.globalRegistry.add(copy, { ...z.globalRegistry.get(schema), ...meta });
  return copy;
}

const MAX_TEXT = 16_384;

const DOMAIN = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)*$/;

/** `problem`: the message for text that does not match. */
export function matching(pattern: RegExp, problem: string, maxLength = 253) {
  return z.string().check(z.maxLength(maxLength), z.regex(pattern, problem));
}

/** `problemOf` returns undefined for valid text. `format` is the name of the rule in the JSON Schema. */
export function judged(format: string, problemOf: (text: string) => string | undefined, maxLength = 253) {
  const schema = z.string().check(
    z.maxLength(maxLength),
    z.check((context) => {
      const problem = problemOf(context.value);
      if (problem === undefined) return;
      context.issues.push({ code: 'custom', message: problem, input: context.value });
    }),
  );
  return schema.register(z.globalRegistry, { format });
}

export const bool = () => z.boolean();
export const integer = (minimum: number, maximum: number) => z.int().check(z.minimum(minimum), z.maximum(maximum));

/** One line of any text, without line breaks and control characters, which could steer a terminal or end a quoted value. */
export const line = (maxLength = 1024) =>
  matching(/^[^\u0000-\u001f\u007f-\u009f\u2028\u2029]*$/, 'contains a line break or a control character', maxLength);

export const lines = () => matching(/^[^\u0000]*$/, 'contains a NUL character', MAX_TEXT);
export const kubernetesVersion = () =>
  matching(/^\d{1,3}\.\d{1,3}\.\d{1,4}(?:-[0-9a-z][0-9a-z.-]{0,30})?$/, 'is not a version such as 1.34.2', 48);
export const hostName = () => matching(DOMAIN, 'is not a host name in lower case', 63);
export const domain = () => matching(DOMAIN, 'is not a domain in lower case');
export const name = () => matching(/^[A-Za-z0-9](?:[A-Za-z0-9_.-]*[A-Za-z0-9])?$/, 'is not a name', 63);
export const address = () => judged('ip', (text) => (isIP(text) ? undefined : 'is not an IP address'), 45);
export const cidr = () =>
  judged('cidr', (text) => (isCidr(text) ? undefined : 'is not an address range such as 10.0.0.0/16'), 49);
export const serverName = () =>
  judged('server', (text) => (isIP(text) || DOMAIN.test(text) ? undefined : 'is neither an address nor a domain'));
export const instant = () =>
  judged(
    'date-time',
    (text) => (instantMs(text) === undefined ? 'is not a time such as 2026-11-16T02:00:00Z' : undefined),
    40,
  );
export const timeOfDay = () => matching(/^(?:[01]\d|2[0-3]):[0-5]\d$/, 'is not a time of day such as 02:00', 5);
export const path = () =>
  matching(/^(?:\/[A-Za-z0-9_@:+-][A-Za-z0-9_.@:+-]*)+$/, 'is not an absolute path of plain characters', 512);
export const fileMode = () => matching(/^0?[0-7]{3}$/, 'is not a file mode such as 0644', 4);
export const userName = () => matching(/^[a-z_][a-z0-9_-]{0,31}$/, 'is not the name of a user', 32);

/** The API server's address: an https URL with a host and an optional port only. */
export const endpoint = () => judged('endpoint', (text) => urlProblem(text, ['https:'], 'host only'));

export const httpUrl = () => judged('http-url', (text) => urlProblem(text, ['http:', 'https:'], 'with path'), 1024);

/** Never quoted in a message, because it may contain a password. */
export const proxyUrl = () => judged('proxy-url', (text) => urlProblem(text, ['http:', 'https:'], 'with user'), 1024);

export const certificates = () => judged('pem-certificates', certificatesProblem, 256_000);
export const imageReference = () =>
  matching(/^[a-z0-9][A-Za-z0-9_.:/@-]*$/, 'is not an image such as registry.k8s.io/pause:3.10', 512);
export const freeForm = () => z.record(z.string(), z.json());

/** As in systemd: `90s`, `5min`. Unlike systemd, the unit is required, because a bare number is ambiguous. */
export function span(minMs: number, maxMs: number) {
  return judged('span', (text) => spanProblem(text, minMs, maxMs), 40);
}

function spanProblem(text: string, minMs: number, maxMs: number): string | undefined {
  const ms = spanMs(text);
  if (ms === undefined) return 'is not a time span such as 90s or 5min';
  if (ms < minMs) return `is shorter than ${minMs / 1000}s`;
  return ms > maxMs ? `is longer than ${maxMs / 1000}s` : undefined;
}

/** Undefined if it is not a time span, has no unit, or is not in whole milliseconds. */
export function spanMs(text: string): number | undefined {
  if (!/^(?:\d+(?:\.\d+)?(?:ms|s|min|h|d) ?)+$/.test(text)) return text === '0' ? 0 : undefined;
  const us = parseSpan(text);
  return us === undefined || us % 1000 !== 0 ? undefined : us / 1000;
}

export function instantMs(text: string): number | undefined {
  if (!/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,3})?(?:Z|[+-]\d\d:\d\d)$/.test(text)) return undefined;
  const ms = Date.parse(text);
  return Number.isNaN(ms) ? undefined : ms;
}

function isCidr(text: string): boolean {
  const [base, bits, ...rest] = text.split('/');
  if (rest.length > 0 || !isIP(base!) || !/^\d{1,3}$/.test(bits ?? '')) return false;
  return Number(bits) <= (isIPv4(base!) ? 32 : 128);
}

function urlProblem(text: string, protocols: readonly string[], shape: 'host only' | 'with path' | 'with user') {
  if (!/^[\x21-\x7e]+$/.test(text) || !URL.canParse(text)) return 'is not a URL';
  const url = new URL(text);
  if (!protocols.includes(url.protocol)) return `does not start with ${protocols.join('// or ')}//`;
  if (shape !== 'with user' && (url.username || url.password)) return 'contains a user or a password';
  if (url.search || url.hash) return 'contains a query or a fragment';
  if (shape !== 'with path' && url.pathname !== '/') return 'contains a path';
  return shape === 'host only' && text.endsWith('/') ? 'ends in a slash' : undefined;
}

/** Programs fail to start with a certificate that cannot be decoded, so decode each one here. */
function certificatesProblem(text: string): string | undefined {
  const blocks = text.match(/-----BEGIN [A-Z ]+-----[^-]*-----END [A-Z ]+-----/g) ?? [];
  if (blocks.length === 0) return 'contains no PEM certificate';
  if (!blocks.every((block) => block.startsWith('-----BEGIN CERTIFICATE-----'))) {
    return 'contains something other than certificates';
  }
  return blocks.every(isCertificate) ? undefined : 'contains a certificate that cannot be decoded';
}

function isCertificate(block: string): boolean {
  try {
    return new X509Certificate(block).raw.length > 0;
  } catch {
    return false;
  }
}
