// local/autoscaler/serve.ts: a gRPC server for cluster-autoscaler's external provider protocol.
import { createSecureContext } from 'node:tls';
import type { handleUnaryCall, ServerCredentials } from '@grpc/grpc-js';
import { TransientError, UserError } from '../../base/errors.ts';
import { NotFound } from '../../base/failures.ts';
import { type AutoscalerDeps, answersOf } from './answers.ts';

export interface ServerTls {
  cert: Buffer;
  key: Buffer;
  /** Only clients with a certificate of this authority may call. */
  clientCa: Buffer;
}

export interface ListenAddress {
  host: string;
  port: number;
}

export interface AutoscalerServer extends ListenAddress {
  /** Lets calls that have begun end, for a while. */
  stop(): Promise<void>;
}

const STOP_MS = 5_000;

/** The caller checks that an address outside this machine has TLS. */
export async function serveAutoscaler(
  { host, port }: ListenAddress,
  tls: ServerTls | undefined,
  deps: AutoscalerDeps & { onBug(error: unknown): void },
): Promise<AutoscalerServer> {
  const [{ Server, ServerCredentials, status, setLogVerbosity, logVerbosity }, { loadService }] = await Promise.all([
    import('@grpc/grpc-js'),
    import('./grpc-service.ts'),
  ]);
  setLogVerbosity(logVerbosity.NONE); // errors come as values
  const server = new Server();
  const codeOf = (error: unknown): number => {
    if (error instanceof NotFound) return status.NOT_FOUND;
    if (error instanceof UserError) return status.FAILED_PRECONDITION;
    if (error instanceof TransientError) return status.UNAVAILABLE;
    deps.onBug(error);
    return status.INTERNAL;
  };
  // biome-ignore lint/suspicious/noExplicitAny: each method has its own message
  type Answer = (request: any) => Promise<object>;
  const handle =
    (answer: Answer): handleUnaryCall<object, object> =>
    (call, done) => {
      answer(call.request).then(
        (value) => done(null, value),
        (error: unknown) =>
          done({ code: codeOf(error), details: error instanceof Error ? error.message : String(error) }),
      );
    };
  const answers = Object.entries(answersOf(deps)) as [string, Answer][];
  server.addService(loadService(), Object.fromEntries(answers.map(([name, answer]) => [name, handle(answer)])));
  const bound = await bind(server, { host, port }, credentialsOf(tls, ServerCredentials));
  return { host, port: bound, stop: () => stop(server) };
}

type Credentials = typeof ServerCredentials;

function credentialsOf(tls: ServerTls | undefined, credentials: Credentials): ServerCredentials {
  if (!tls) return credentials.createInsecure();
  const { cert, key, clientCa } = tls;
  try {
    createSecureContext({ cert, key, ca: clientCa }); // the library would not say what is wrong
    return credentials.createSsl(clientCa, [{ private_key: key, cert_chain: cert }], true);
  } catch (cause) {
    throw new UserError(`the certificate cannot be used: ${(cause as Error).message}`, {
      code: 'autoscaler/bad-certificate',
      kept: 'Nothing was started.',
      next: 'give PEM files that belong together: --cert, --key and --client-ca',
      cause,
    });
  }
}

interface Bindable {
  bindAsync(address: string, credentials: ServerCredentials, done: (error: Error | null, port: number) => void): void;
}

function bind(server: Bindable, { host, port }: ListenAddress, credentials: ServerCredentials): Promise<number> {
  const address = `${host.includes(':') ? `[${host}]` : host}:${port}`;
  return new Promise((resolve, reject) => {
    server.bindAsync(address, credentials, (cause, bound) => {
      if (!cause) resolve(bound);
      else
        reject(
          new UserError(`cannot listen on ${address}: ${cause.message}`, {
            code: 'autoscaler/cannot-listen',
            kept: 'Nothing was started.',
            next: 'name another address with --listen',
            exitCode: 1,
            cause,
          }),
        );
    });
  });
}

interface Stoppable {
  tryShutdown(done: (error?: Error) => void): void;
  forceShutdown(): void;
}

function stop(server: Stoppable): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => {
      server.forceShutdown();
      resolve();
    }, STOP_MS);
    server.tryShutdown(() => {
      clearTimeout(timer);
      resolve();
    });
  });
}
