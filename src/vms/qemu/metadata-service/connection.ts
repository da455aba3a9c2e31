// vms/qemu/metadata-service/connection.ts: serve the requests of one client connection in order.
import { type PlatformRequest, type PlatformResponse, parseRequest } from './http.ts';

export interface ClientConnection {
  input: AsyncIterable<Buffer>;
  /** Sends the response. The next request is parsed when this resolves. */
  exchange(request: PlatformRequest): Promise<void>;
  /** Sends an error for an invalid request. No request can follow. */
  refuse(response: PlatformResponse): Promise<void>;
}

/** Resolves after the last response; the caller closes the connection. */
export async function serveConnection({ input, exchange, refuse }: ClientConnection): Promise<void> {
  let bytes: Buffer = Buffer.alloc(0);
  let isRefused = false;
  for await (const chunk of input) {
    // Read and drop everything after a refusal: closing with unread bytes would reset the connection and lose the response.
    if (isRefused) continue;
    bytes = Buffer.concat([bytes, chunk]);
    for (let taken = parseRequest(bytes); taken !== undefined; taken = parseRequest(bytes)) {
      if ('refused' in taken) {
        isRefused = true;
        await refuse(taken.refused);
        break;
      }
      bytes = taken.rest;
      await exchange(taken.request);
      if (taken.request.isLast) return;
    }
  }
}
