// cli/passed-input.ts: which input does a verb pass on to another program? All of standard input, if it has any.
import { fstatSync } from 'node:fs';
import { Socket } from 'node:net';
import { cannotRead, readStdin, SENT_WITHIN_MS } from './streams.ts';

/** Undefined for a terminal, and for a socket that sends nothing. */
export async function passedInput(): Promise<Uint8Array | undefined> {
  const stdin = fstatSync(0);
  if (stdin.isFIFO() || stdin.isFile()) return readStdin();
  return stdin.isSocket() ? await sentBySocket() : undefined;
}

/**
 * Node.js gives its children a socket as their pipe. Many programs never end it, and a read until its end would wait for ever,
 * so the first bytes or the end must come soon.
 */
async function sentBySocket(): Promise<Uint8Array | undefined> {
  const socket = openSocket();
  if (!socket) return undefined;
  const chunks: Buffer[] = [];
  return new Promise((resolve, reject) => {
    const silence = setTimeout(() => {
      socket.destroy();
      resolve(undefined);
    }, SENT_WITHIN_MS);
    socket.on('data', (chunk) => {
      clearTimeout(silence);
      chunks.push(chunk);
    });
    socket.on('end', () => {
      clearTimeout(silence);
      resolve(Buffer.concat(chunks));
    });
    socket.on('error', (cause) => {
      clearTimeout(silence);
      // Without a byte it never was an input: it may not even be connected.
      if (chunks.length === 0) resolve(undefined);
      else reject(cannotRead(cause));
    });
  });
}

/** Undefined for a socket without a stream, such as one for datagrams. */
function openSocket(): Socket | undefined {
  try {
    return new Socket({ fd: 0, readable: true, writable: false });
  } catch {
    return undefined;
  }
}
