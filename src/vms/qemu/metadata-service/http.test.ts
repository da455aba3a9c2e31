import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type PlatformRequest, parseRequest, renderResponse } from './http.ts';

const bytes = (text: string) => Buffer.from(text.replaceAll('\n', '\r\n'));

/** All requests in `whole`, passed to the parser in these pieces. */
function takeAll(whole: Buffer, cuts: number[]): { requests: PlatformRequest[]; refused?: number } {
  const requests: PlatformRequest[] = [];
  let held: Buffer = Buffer.alloc(0);
  const deps = [...new Set([...cuts.map((cut) => cut % (whole.length + 1)), whole.length])].sort((a, b) => a - b);
  let from = 0;
  for (const to of deps) {
    held = Buffer.concat([held, whole.subarray(from, to)]);
    from = to;
    for (let taken = parseRequest(held); taken !== undefined; taken = parseRequest(held)) {
      if ('refused' in taken) return { requests, refused: taken.refused.status };
      requests.push(taken.request);
      held = taken.rest;
    }
  }
  return { requests };
}

describe('parseRequest', () => {
  it('parses a request', () => {
    const taken = parseRequest(
      bytes(
        'POST /machine?comp=health HTTP/1.1\nHost: 168.63.129.16\nX-Ms-Version:  2012-11-30 \nContent-Length: 4\n\nbodyGET',
      ),
    );
    expect(taken).toMatchObject({
      request: {
        method: 'POST',
        path: '/machine',
        headers: { host: '168.63.129.16', 'x-ms-version': '2012-11-30' },
        body: 'body',
        isLast: false,
      },
      rest: Buffer.from('GET'),
    });
  });

  it('finds the same requests however the bytes are split', () => {
    const one = fc
      .record({
        method: fc.constantFrom('GET', 'POST'),
        path: fc.webPath().map((path) => path || '/'),
        body: fc.string({ unit: 'grapheme', maxLength: 200 }),
      })
      .map(({ method, path, body }) => ({
        body,
        text: `${method} ${path} HTTP/1.1\r\nHost: h\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
      }));
    fc.assert(
      fc.property(fc.array(one, { maxLength: 4 }), fc.array(fc.nat(), { maxLength: 8 }), (sent, cuts) => {
        const { requests, refused } = takeAll(Buffer.from(sent.map(({ text }) => text).join('')), cuts);
        expect(refused).toBeUndefined();
        expect(requests.map(({ body }) => body)).toEqual(sent.map(({ body }) => body));
      }),
    );
  });

  it('refuses or waits, and never throws, for any input', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), (noise) => {
        parseRequest(Buffer.from(noise));
        parseRequest(Buffer.concat([Buffer.from('GET / HTTP/1.1\r\n'), noise, Buffer.from('\r\n\r\n')]));
        parseRequest(Buffer.concat([Buffer.from(noise), Buffer.from('\r\n\r\n')]));
      }),
    );
  });

  it.each([
    ['not HTTP', 'hello\n\n', 400],
    ['another version', 'GET / HTTP/2.0\n\n', 400],
    ['a header without a colon', 'GET / HTTP/1.1\nHost\n\n', 400],
    ['a folded header', 'GET / HTTP/1.1\nA: b\n c\n\n', 400],
    ['lengths that disagree', 'POST / HTTP/1.1\nContent-Length: 1\nContent-Length: 2\n\nab', 400],
    ['a negative length', 'POST / HTTP/1.1\nContent-Length: -1\n\n', 400],
    ['a body in chunks', 'POST / HTTP/1.1\nTransfer-Encoding: chunked\n\n0\n\n', 411],
    ['a body of a gigabyte', 'POST / HTTP/1.1\nContent-Length: 1073741824\n\n', 413],
    ['a head without an end', `GET / HTTP/1.1\nA: ${'a'.repeat(20_000)}`, 431],
    ['a head that is too long', `GET / HTTP/1.1\nA: ${'a'.repeat(20_000)}\n\n`, 431],
    ['a host that is none', 'GET http://[ HTTP/1.1\n\n', 400],
  ])('refuses %s', (_, text, status) => {
    expect(parseRequest(bytes(text))).toMatchObject({ refused: { status } });
  });

  it.each([
    ['HTTP/1.1', '', false],
    ['HTTP/1.1', 'Connection: close\n', true],
    ['HTTP/1.0', '', true],
    ['HTTP/1.0', 'Connection: Keep-Alive\n', false],
  ])('decides whether %s with %j is the last request', (version, header, isLast) => {
    expect(parseRequest(bytes(`GET / ${version}\n${header}\n`))).toMatchObject({ request: { isLast } });
  });

  it('accepts a path that starts with two slashes', () => {
    expect(parseRequest(bytes('GET //metadata/instance HTTP/1.1\n\n'))).toMatchObject({
      request: { path: '//metadata/instance' },
    });
  });

  it('keeps headers that are named like object properties', () => {
    const taken = parseRequest(bytes('GET / HTTP/1.1\n__proto__: a\nconstructor: b\n\n'));
    expect(taken && 'request' in taken && Object.entries(taken.request.headers)).toEqual([
      ['__proto__', 'a'],
      ['constructor', 'b'],
    ]);
  });
});

describe('renderResponse', () => {
  it('counts bytes, not characters, in Content-Length', () => {
    const rendered = renderResponse({ status: 200, headers: { 'X-A': 'b' }, body: 'ä' }, { nowMs: 0, isLast: true });
    expect(rendered.toString()).toBe(
      'HTTP/1.1 200 OK\r\nX-A: b\r\nDate: Thu, 01 Jan 1970 00:00:00 GMT\r\nContent-Length: 2\r\nConnection: close\r\n\r\nä',
    );
  });
});
