// vms/qemu/metadata-service/connection.ts: one connection of a client, from its first byte to its last: which requests came, in which order?
import { type Request, type Response, takeRequest } from './http.ts';

export interface Connection {
  input: AsyncIterable<Buffer>;
  /** Answers; the next request is looked at when that is done. */
  exchange(request: Request): Promise<void>;
  /** What came is no request, and no other can follow. */
  refuse(response: Response): Promise<void>;
}

/** Resolves when no other answer is due; closing is up to the caller. */
export async function serveConnection({ input, exchange, refuse }: Connection): Promise<void> {
  let bytes: Buffer = Buffer.alloc(0);
  let isRefused = false;
  for await (const chunk of input) {
    // What follows a refusal is read and dropped: closing on unread bytes would reset the connection and lose the answer.
    if (isRefused) continue;
    bytes = Buffer.concat([bytes, chunk]);
    for (let taken = takeRequest(bytes); taken !== undefined; taken = takeRequest(bytes)) {
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
