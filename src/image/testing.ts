// image/testing.ts: a mirror for tests that can be slow, broken or dishonest: a function instead of fetch, without sockets.
import { createHash } from 'node:crypto';
import type { FetchRequest } from './fetch/cache.ts';

export interface FakeMirror {
  fetch: typeof fetch;
  /** `GET /path`, with ` from N` for a range request. */
  requests: string[];
  /** Responses for the next requests; they take precedence. */
  next: ((request: Request) => Response | Promise<Response>)[];
  /** Each entry breaks the connection of one response after this many bytes. */
  cutAfter: number[];
  hasRanges: boolean;
}

export function fakeMirror(files: Readonly<Record<string, string | Uint8Array>>): FakeMirror {
  const mirror: FakeMirror = {
    requests: [],
    next: [],
    cutAfter: [],
    hasRanges: true,
    fetch: async (input, init) => {
      const request = new Request(input as string, init);
      const { pathname } = new URL(request.url);
      const from = Number(/^bytes=(\d+)-$/.exec(request.headers.get('range') ?? '')?.[1] ?? 0);
      mirror.requests.push(`${request.method} ${pathname}${from > 0 ? ` from ${from}` : ''}`);
      const special = mirror.next.shift();
      if (special) return special(request);
      const content = files[decodeURIComponent(pathname).slice(1)];
      if (content === undefined) return new Response('no such file', { status: 404 });
      const bytes = Buffer.from(content);
      const start = mirror.hasRanges ? from : 0;
      if (start > 0 && start >= bytes.length) return new Response(null, { status: 416 });
      const headers = { 'content-range': `bytes ${start}-${bytes.length - 1}/${bytes.length}` };
      const body = streamOf(bytes.subarray(start), mirror.cutAfter.shift());
      return start > 0 ? new Response(body, { status: 206, headers }) : new Response(body);
    },
  };
  return mirror;
}

/** Streams in small chunks; fails after `cutAfter` bytes. */
function streamOf(bytes: Uint8Array, cutAfter: number | undefined): ReadableStream<Uint8Array> {
  let at = 0;
  return new ReadableStream({
    pull(controller) {
      if (cutAfter !== undefined && at >= cutAfter) {
        controller.error(Object.assign(new Error('terminated'), { cause: { code: 'ECONNRESET' } }));
      } else if (at >= bytes.length) controller.close();
      else {
        const end = Math.min(at + 1000, bytes.length, cutAfter ?? bytes.length);
        controller.enqueue(bytes.slice(at, end));
        at = end;
      }
    },
  });
}

export function sha256Of(content: string | Uint8Array): string {
  return createHash('sha256').update(content).digest('hex');
}

/** The request for `content` at `path`. */
export function requestOf(path: string, content: string | Uint8Array, origin = 'upstream:test'): FetchRequest {
  return { component: path, origin, path, sha256: sha256Of(content), bytes: Buffer.from(content).length };
}
