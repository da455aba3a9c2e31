import { describe, expect, it } from 'vitest';
import { serveConnection } from './connection.ts';

const get = (path: string, more = '') => `GET ${path} HTTP/1.1\r\n${more}\r\n`;

/** Requests and refusals in order; `left`: chunks that were not read. */
async function serve(...chunks: string[]) {
  const seen: string[] = [];
  let read = 0;
  async function* input() {
    for (const chunk of chunks) {
      read += 1;
      yield Buffer.from(chunk);
    }
  }
  await serveConnection({
    input: input(),
    exchange: async ({ path }) => {
      seen.push(`begin ${path}`);
      await new Promise(setImmediate);
      seen.push(`end ${path}`);
    },
    refuse: async ({ status }) => void seen.push(`refuse ${status}`),
  });
  return { seen, left: chunks.length - read };
}

describe('a connection', () => {
  it('serves one request after the other, however they are split', async () => {
    const expected = ['begin /a', 'end /a', 'begin /b', 'end /b'];
    const text = get('/a') + get('/b');
    expect((await serve(text)).seen).toEqual(expected);
    expect((await serve(...text)).seen).toEqual(expected);
  });

  it('ends after the last request, and reads no further', async () => {
    const { seen, left } = await serve(get('/a', 'Connection: close\r\n'), get('/b'));
    expect(seen).toEqual(['begin /a', 'end /a']);
    expect(left).toBe(1);
  });

  it('refuses an invalid request once, and discards what follows', async () => {
    const { seen, left } = await serve(get('/a'), 'noise\r\n\r\n', get('/b'), 'more noise\r\n\r\n');
    expect(seen).toEqual(['begin /a', 'end /a', 'refuse 400']);
    expect(left).toBe(0);
  });

  it('does not respond to half a request', async () => {
    expect((await serve('GET /a HTTP/1.1\r\n')).seen).toEqual([]);
  });
});
