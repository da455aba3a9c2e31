// node/api/api-server.testing.ts: a small API server on a loopback port that records the requests.
import { readFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { Secret } from '../../base/secret.ts';
import type { KubeletCredential } from './kubelet-credential.ts';
import { type OwnNode, ownNode } from './own-node.ts';

export const fixture = (name: string) => readFileSync(new URL(`../fixtures/tls/${name}`, import.meta.url), 'utf8');
const [cert, key] = [fixture('server.crt'), fixture('server.key')];

export interface Seen {
  method: string;
  path: string;
  type: string | undefined;
  accept: string | undefined;
  subject: string;
  body: unknown;
}

export async function withApiServer(
  answer: (request: IncomingMessage, response: ServerResponse) => void,
  act: (node: OwnNode, seen: Seen[]) => Promise<void>,
  more: Partial<KubeletCredential> & { timeoutMs?: number } = {},
): Promise<void> {
  const seen: Seen[] = [];
  const server = createServer({ cert, key, ca: fixture('node.crt'), requestCert: true }, (request, response) => {
    let body = '';
    request.on('data', (chunk) => {
      body += chunk;
    });
    request.on('end', () => {
      const subject = (request.socket as TLSSocket).getPeerCertificate().subject?.CN;
      const { method = '', url: path = '', headers } = request;
      const parsed: unknown = body === '' ? undefined : JSON.parse(body);
      seen.push({
        method,
        path,
        type: headers['content-type'],
        accept: headers.accept,
        subject: String(subject),
        body: parsed,
      });
      answer(request, response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const credential: KubeletCredential = {
    server: `https://127.0.0.1:${(server.address() as AddressInfo).port}`,
    authority: cert,
    serverName: undefined,
    nodeName: 'pool1-000003',
    proof: { kind: 'certificate', certificate: fixture('node.crt'), key: new Secret(fixture('node.key')) },
    ...more,
  };
  try {
    await act(ownNode({ credential: async () => credential, timeoutMs: more.timeoutMs ?? 5000 }), seen);
  } finally {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
}
