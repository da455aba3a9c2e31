// demo/serve-files.ts: a local file server for bootstrapping nodes, on this machine's loopback only.
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { basename, join } from 'node:path';

export interface FileServer {
  port: number;
  /** Files served so far. */
  served(): number;
  close(): Promise<void>;
}

export async function serveFiles(folder: string): Promise<FileServer> {
  let served = 0;
  const server = createServer(async (request, response) => {
    // Only the last part of the path counts, so that a request can reach only files of this folder.
    const name = basename(decodeURIComponent(new URL(request.url ?? '/', 'http://local').pathname));
    const found = await stat(join(folder, name)).catch(() => undefined);
    if (!found?.isFile()) return void response.writeHead(404).end();
    served += 1;
    response.writeHead(200, { 'content-length': found.size });
    createReadStream(join(folder, name)).pipe(response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    served: () => served,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
