// vms/qemu/machine/line-socket.ts: talk line by line over a unix socket in a folder, however long the folder's path is.
import { closeSync, constants, openSync } from 'node:fs';
import { connect } from 'node:net';
import type { Duplex } from 'node:stream';
import { TransientError } from '../../../base/errors.ts';

/** More than the guest agent ever sends in one answer (16 MiB of output as base64). Whoever is in the guest decides what comes. */
const MAX_LINE_BYTES = 48 << 20;

/** Nobody listens, or nobody answered in time. */
export class NotAnswering extends TransientError {
  constructor(what: string, cause?: unknown) {
    super(what, { code: 'vms/not-answering', cause });
    this.name = 'NotAnswering';
  }
}

export interface Conversation {
  send(bytes: string | Uint8Array): void;
  /** Without its line break. */
  nextLine(): Promise<Buffer>;
}

export interface SocketPath {
  folder: string;
  socket: string;
}

/** The socket is closed when `talk` ends, in time or not. */
export async function converse<T>(
  { folder, socket }: SocketPath,
  { deadlineMs, signal }: { deadlineMs: number; signal?: AbortSignal | undefined },
  talk: (conversation: Conversation) => Promise<T>,
): Promise<T> {
  signal?.throwIfAborted();
  // A socket's address holds 107 bytes; through an open folder it is short.
  const fd = openFolder(folder, socket);
  const line = connect(`/proc/self/fd/${fd}/${socket}`);
  const late = setTimeout(
    () => line.destroy(new NotAnswering(`${socket} did not answer in ${deadlineMs} ms`)),
    deadlineMs,
  );
  // Whoever aborts may give a word for a reason, and a stream ends with an error only.
  const stop = () => line.destroy(signal?.reason instanceof Error ? signal.reason : new Error(String(signal?.reason)));
  signal?.addEventListener('abort', stop, { once: true });
  try {
    return await talk(conversationOver(line, socket));
  } finally {
    clearTimeout(late);
    signal?.removeEventListener('abort', stop);
    line.destroy();
    closeSync(fd);
  }
}

function openFolder(folder: string, socket: string): number {
  try {
    return openSync(folder, constants.O_RDONLY | constants.O_DIRECTORY);
  } catch (cause) {
    throw new NotAnswering(`${socket} is not there`, cause);
  }
}

export function conversationOver(line: Duplex, socket: string): Conversation {
  let chunks: Buffer[] = [];
  let length = 0;
  let ended: unknown;
  let wake = () => {};
  line.on('data', (chunk: Buffer) => {
    chunks.push(chunk);
    length += chunk.length;
    if (length > MAX_LINE_BYTES) line.destroy(new NotAnswering(`${socket} sent more than anybody asked for`));
    wake();
  });
  line.on('error', (error) => {
    ended =
      error instanceof NotAnswering || !('syscall' in error)
        ? error
        : new NotAnswering(`${socket} is not answering`, error);
    wake();
  });
  line.on('close', () => {
    ended ??= new NotAnswering(`${socket} hung up`);
    wake();
  });
  return {
    send: (bytes) => void line.write(bytes),
    async nextLine() {
      for (let seen = 0; ; ) {
        const last = chunks.length;
        for (; seen < last; seen++) {
          const at = chunks[seen]!.indexOf(0x0a);
          if (at < 0) continue;
          const before = [...chunks.slice(0, seen), chunks[seen]!.subarray(0, at)];
          chunks = [chunks[seen]!.subarray(at + 1), ...chunks.slice(seen + 1)];
          length = chunks.reduce((sum, one) => sum + one.length, 0);
          return Buffer.concat(before);
        }
        if (ended) throw ended;
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    },
  };
}
