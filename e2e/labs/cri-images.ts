// e2e/labs/cri-images.ts: lists the images of a container runtime as kubelet does: a minimal gRPC client over its socket.
import { connect } from 'node:http2';
import { connect as connectSocket } from 'node:net';

export interface CriImage {
  id: string;
  repoTags: string[];
  repoDigests: string[];
}

/** Throws the runtime's error. */
export async function criImages(socket: string): Promise<CriImage[]> {
  const answer = await call(socket, '/runtime.v1.ImageService/ListImages');
  return fields(answer)
    .filter(({ number }) => number === 1)
    .map(({ bytes }) => {
      const image = fields(bytes);
      const texts = (number: number) =>
        image.filter((field) => field.number === number).map((field) => `${field.bytes}`);
      return { id: texts(1)[0] ?? '', repoTags: texts(2), repoDigests: texts(3) };
    });
}

/** With an empty message. */
function call(socket: string, path: string): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const session = connect('http://localhost', { createConnection: () => connectSocket(socket) });
    session.on('error', reject);
    const request = session.request({
      ':method': 'POST',
      ':path': path,
      'content-type': 'application/grpc',
      te: 'trailers',
    });
    const chunks: Buffer[] = [];
    let status = '';
    const settle = (headers: Record<string, unknown>) => {
      if ('grpc-status' in headers) status = `${headers['grpc-status']} ${headers['grpc-message'] ?? ''}`;
    };
    request.on('response', settle).on('trailers', settle).on('error', reject);
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      session.close();
      if (status.startsWith('0')) resolve(Buffer.concat(chunks).subarray(5));
      else reject(new Error(`${path}: ${status}`));
    });
    request.end(Buffer.alloc(5)); // not compressed, no bytes
  });
}

interface Field {
  number: number;
  bytes: Buffer;
}

/** Fields with a length; numbers are skipped. */
function fields(message: Buffer): Field[] {
  const found: Field[] = [];
  let at = 0;
  const varint = () => {
    let value = 0;
    for (let factor = 1; ; factor *= 128) {
      const byte = message[at++] ?? 0;
      value += (byte & 0x7f) * factor;
      if (byte < 0x80) return value;
    }
  };
  while (at < message.length) {
    const tag = varint();
    const length = varint(); // or the number itself
    if ((tag & 7) !== 2) continue;
    found.push({ number: tag >> 3, bytes: message.subarray(at, at + length) });
    at += length;
  }
  return found;
}
