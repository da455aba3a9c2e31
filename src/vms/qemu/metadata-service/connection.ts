// vms/qemu/metadata-service/connection.ts: one connection of a client, from its first byte to its last: which requests came, in which order?
import { type PlatformRequest, type PlatformResponse, parseRequest } from './http.ts';

export interface ClientConnection {
  input: AsyncIterable<Buffer>;
  /** Answers; the next request is looked at when that is done. */
  exchange(request: PlatformRequest): Promise<void>;
  /** What came is no request, and no other can follow. */
  refuse(response: PlatformResponse): Promise<void>;
}

/** Resolves when no other answer is due; closing is up to the caller. */
export async function serveConnection({ input, exchange, refuse }: ClientConnection): Promise<void> {
  let bytes: Buffer = Buffer.alloc(0);
  let isRefused = false;
  for await (const chunk of input) {
    // What follows a refusal is read and dropped: closing on unread bytes would reset the connection and lose the answer.
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
