// vms/qemu/metadata-service/http.ts: parse HTTP/1.1 requests and render responses.
// Without node:http: QEMU starts a process for every guest connection, and loading node:http doubles the response time.

export interface PlatformRequest {
  method: string;
  path: string;
  query: URLSearchParams;
  /** Lower-case names. */
  headers: Readonly<Record<string, string>>;
  body: string;
  /** The client expects the connection to close after the response. */
  isLast: boolean;
}

export interface PlatformResponse {
  status: number;
  headers?: Readonly<Record<string, string>>;
  body: string;
}

/** The first request in `bytes` and the bytes after it. Undefined while the request is incomplete. After `refused`, nothing can follow. */
export type ParsedRequest = { request: PlatformRequest; rest: Buffer } | { refused: PlatformResponse } | undefined;

/** Guests are untrusted: limits on what we hold in memory. */
const HEAD_LIMIT = 16 * 1024;
const BODY_LIMIT = 256 * 1024;

export function parseRequest(bytes: Buffer): ParsedRequest {
  const end = bytes.indexOf('\r\n\r\n');
  if (end < 0 ? bytes.length > HEAD_LIMIT : end > HEAD_LIMIT) return refuse(431);
  if (end < 0) return undefined;
  const [requestLine = '', ...headerLines] = bytes.toString('latin1', 0, end).split('\r\n');
  const [, method, target, minor] = /^([A-Z]+) ([!-~]+) HTTP\/1\.([01])$/.exec(requestLine) ?? [];
  const headers = parseHeaders(headerLines);
  // Not `new URL(target, base)`: there, `//a/b` would be the host a.
  const url = URL.parse(target?.startsWith('/') ? `http://localhost${target}` : (target ?? ''));
  if (method === undefined || headers === undefined || url === null) return refuse(400);

  if (headers['transfer-encoding'] !== undefined) return refuse(411);
  const length = headers['content-length'] ?? '0';
  if (!/^\d{1,15}$/.test(length)) return refuse(400); // also catches two lengths, which were joined with a comma
  if (Number(length) > BODY_LIMIT) return refuse(413);
  const start = end + 4;
  if (bytes.length < start + Number(length)) return undefined;

  const connection = headers.connection?.toLowerCase() ?? '';
  const request: PlatformRequest = {
    method,
    path: url.pathname,
    query: url.searchParams,
    headers,
    body: bytes.toString('utf8', start, start + Number(length)),
    isLast: minor === '0' ? connection !== 'keep-alive' : connection === 'close',
  };
  return { request, rest: bytes.subarray(start + Number(length)) };
}

export function renderResponse(
  response: PlatformResponse,
  { nowMs, isLast }: { nowMs: number; isLast: boolean },
): Buffer {
  const body = Buffer.from(response.body);
  const headers = {
    ...response.headers,
    Date: new Date(nowMs).toUTCString(),
    'Content-Length': body.length,
    Connection: isLast ? 'close' : 'keep-alive',
  };
  const head = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  const status = `HTTP/1.1 ${response.status} ${REASONS[response.status] ?? 'Status'}\r\n`;
  return Buffer.concat([Buffer.from(`${status}${head.join('')}\r\n`), body]);
}

const REASONS: Readonly<Record<number, string>> = {
  200: 'OK',
  400: 'Bad Request',
  404: 'Not Found',
  405: 'Method Not Allowed',
  410: 'Gone',
  411: 'Length Required',
  413: 'Content Too Large',
  429: 'Too Many Requests',
  431: 'Request Header Fields Too Large',
  500: 'Internal Server Error',
  503: 'Service Unavailable',
};

function refuse(status: number): ParsedRequest {
  return { refused: { status, headers: { 'Content-Type': 'text/plain' }, body: `${REASONS[status]}\n` } };
}

function parseHeaders(lines: string[]): Record<string, string> | undefined {
  const headers: Record<string, string> = Object.create(null); // no prototype: a header may be named `__proto__`
  for (const line of lines) {
    const [, name, value] = /^([!#$%&'*+.^_`|~\w-]+):[ \t]*(.*?)[ \t]*$/.exec(line) ?? [];
    if (name === undefined || value === undefined) return undefined;
    const key = name.toLowerCase();
    headers[key] = headers[key] === undefined ? value : `${headers[key]}, ${value}`;
  }
  return headers;
}
