// vms/qemu/machine/line-socket.ts: exchange lines over a unix socket in a folder, whatever the length of the folder's path.
import { closeSync, constants, openSync } from 'node:fs';
import { connect } from 'node:net';
import type { Duplex } from 'node:stream';
import { TransientError } from '../../../base/errors.ts';

/** More than the guest agent sends in one answer (16 MiB of output as base64). The limit protects us from a malicious guest. */
const MAX_LINE_BYTES = 48 << 20;

/** Nothing listens on the socket, or there was no answer in time. */
export class NotAnswering extends TransientError {
  constructor(what: string, cause?: unknown) {
    super(what, { code: 'vms/not-answering', cause });
    this.name = 'NotAnswering';
  }
}

export interface Conversation {
  send(bytes: string | Uint8Array): void;
  /** Without the line break. */
  nextLine(): Promise<Buffer>;
}

export interface SocketPath {
  folder: string;
  socket: string;
}

/** Closes the socket when `talk` ends or the deadline passes. */
export async function converse<T>(
  { folder, socket }: SocketPath,
  { deadlineMs, signal }: { deadlineMs: number; signal?: AbortSignal | undefined },
  talk: (conversation: Conversation) => Promise<T>,
): Promise<T> {
  signal?.throwIfAborted();
  // A socket's address is limited to 107 bytes; the path through an open folder is short.
  const fd = openFolder(folder, socket);
  const line = connect(`/proc/self/fd/${fd}/${socket}`);
  const late = setTimeout(
    () => line.destroy(new NotAnswering(`${socket} did not answer in ${deadlineMs} ms`)),
    deadlineMs,
  );
  // The abort reason may be any value, but `destroy` takes an Error.
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
    throw new NotAnswering(`${socket} does not exist`, cause);
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
    if (length > MAX_LINE_BYTES)
      line.destroy(new NotAnswering(`${socket} sent a line of more than ${MAX_LINE_BYTES >> 20} MiB`));
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
