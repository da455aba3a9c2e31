// sims/azure/service/listen.ts: HTTPS server on loopback.
import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { ArmAnswer, ArmRequest } from './call.ts';
import { isObject, type Json, type JsonObject } from './json.ts';

export interface HttpExchange {
  method: string;
  path: string;
  query: string;
  headers: ArmRequest['headers'];
  body: JsonObject;
  answer: ArmAnswer;
  atMs: number;
}

export interface SimServer {
  url: string;
  stop(): Promise<void>;
}

interface Listener {
  certPem: string;
  keyPem: string;
  port: number;
  /** What clients call it. */
  address: string;
}

/** `reset` instead of an answer breaks the connection. */
export async function listen(
  { certPem, keyPem, port, address }: Listener,
  answer: (request: ArmRequest, form: URLSearchParams) => ArmAnswer | 'reset',
): Promise<SimServer> {
  const server = createServer({ cert: certPem, key: keyPem }, (incoming, outgoing) => {
    void readRequest(incoming, url)
      .then(({ request, form }) => answer(request, form))
      .then(
        (result) => (result === 'reset' ? incoming.socket.destroy() : send(outgoing, result)),
        (error: unknown) => {
          if (error instanceof SyntaxError) return send(outgoing, NOT_JSON);
          const message = error instanceof Error ? (error.stack ?? error.message) : String(error);
          send(outgoing, { status: 500, body: { error: { code: 'SimulatorBug', message } } });
        },
      );
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', resolve);
  });
  const url = `https://${address}:${(server.address() as AddressInfo).port}`;
  return {
    url,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

const NOT_JSON: ArmAnswer = {
  status: 400,
  body: {
    error: { code: 'InvalidRequestContent', message: 'The request content was invalid and could not be deserialized.' },
  },
};

async function readRequest(
  incoming: IncomingMessage,
  base: string,
): Promise<{ request: ArmRequest; form: URLSearchParams }> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  const headers = Object.fromEntries(
    Object.entries(incoming.headers).map(([name, value]) => [name, Array.isArray(value) ? value.join(', ') : value]),
  );
  const text = Buffer.concat(chunks).toString();
  const isForm = headers['content-type']?.startsWith('application/x-www-form-urlencoded') === true;
  const url = new URL(incoming.url ?? '/', base);
  return {
    request: { method: incoming.method ?? 'GET', url, headers, body: isForm ? {} : parseBody(text) },
    form: new URLSearchParams(isForm ? text : ''),
  };
}

function parseBody(text: string): JsonObject {
  if (text.trim() === '') return {};
  const parsed = JSON.parse(text) as Json;
  return isObject(parsed) ? parsed : {};
}

function send(outgoing: ServerResponse, { status, headers, body }: ArmAnswer): void {
  const text = body === undefined ? '' : JSON.stringify(body);
  outgoing.writeHead(status, {
    'x-ms-request-id': randomUUID(), // logins and answers to what is no request; the others have one of their own
    ...headers,
    ...(body !== undefined && { 'content-type': 'application/json; charset=utf-8' }),
    'content-length': Buffer.byteLength(text),
  });
  outgoing.end(text);
}
