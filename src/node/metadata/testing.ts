// node/metadata/testing.ts: a metadata service on a loopback port with the responses of a test.
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';

export async function withServer<T>(answer: RequestListener, act: (url: string) => Promise<T>): Promise<T> {
  const server = createServer(answer);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  try {
    return await act(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  } finally {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
}
