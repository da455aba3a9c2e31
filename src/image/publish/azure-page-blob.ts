// image/publish/azure-page-blob.ts: the page blob that is Azure's, through the official library, which is loaded with the first call.
import { createHash } from 'node:crypto';
import type { TokenCredential } from '@azure/identity';
import type { ContainerClient, PageBlobClient } from '@azure/storage-blob';
import { TransientError } from '../../base/errors.ts';
import { Conflict, Forbidden, NotFound, Refused, Throttled } from '../../base/failures.ts';
import type { Secret } from '../../base/secret.ts';
import { failureWithoutAnswer } from '../../vms/azure/connect/translate-errors.ts';
import type { PageBlob } from './page-blob.ts';

export interface BlobLocation {
  /** `https://account.blob.core.windows.net`. */
  endpoint: string;
  container: string;
  name: string;
}

/** A token of somebody's, or the key that a connection string holds. */
export type BlobLogin = { credential: TokenCredential } | { connectionString: Secret };

export async function azurePageBlob(place: BlobLocation, login: BlobLogin, signal?: AbortSignal): Promise<PageBlob> {
  const { container, blob } = await clientsOf(place, login);
  const abortable = signal ? { abortSignal: signal } : {};
  const ask = <T>(doing: string, run: () => Promise<T>) => translated(`${doing} ${blob.url}`, signal, run);
  return {
    url: withoutQuery(blob.url),
    inspect: () =>
      ask('looking at', async () => {
        const { contentLength = 0, metadata = {}, blobType } = await blob.getProperties(abortable);
        if (blobType !== 'PageBlob') throw new Refused(`${withoutQuery(blob.url)} is no page blob`, 'image/other-blob');
        return { bytes: contentLength, metadata: lowerCased(metadata) };
      }).catch((error: unknown) => {
        if (error instanceof NotFound) return undefined;
        throw error;
      }),
    create: ({ bytes, metadata }) =>
      ask('making', async () => {
        await container.createIfNotExists(abortable);
        await blob.create(bytes, { ...abortable, metadata: { ...metadata }, conditions: { ifNoneMatch: '*' } });
      }).catch((error: unknown) => {
        if (!(error instanceof Conflict)) throw error;
      }),
    ranges: () =>
      ask('looking at', async () => {
        const ranges = [];
        for await (const { start, end, isClear } of blob.listPageRanges(0, undefined, abortable))
          if (!isClear) ranges.push({ offset: start, bytes: end - start + 1 });
        return ranges;
      }),
    read: ({ offset, bytes }) => ask('reading', () => blob.downloadToBuffer(offset, bytes, abortable)),
    write: (offset, pages) =>
      ask('writing', async () => {
        const transactionalContentMD5 = createHash('md5').update(pages).digest();
        await blob.uploadPages(pages, offset, pages.length, { ...abortable, transactionalContentMD5 });
      }),
    clear: ({ offset, bytes }) =>
      ask('clearing', async () => {
        await blob.clearPages(offset, bytes, abortable);
      }),
    setMetadata: (metadata) =>
      ask('marking', async () => {
        await blob.setMetadata({ ...metadata }, abortable);
      }),
  };
}

/** The library's own retries are for what a network does; past them it is for the caller. */
const RETRIES = {
  retryOptions: { maxTries: 5, tryTimeoutInMs: 120_000 },
  userAgentOptions: { userAgentPrefix: 'headstart' },
};

async function clientsOf(
  place: BlobLocation,
  login: BlobLogin,
): Promise<{ container: ContainerClient; blob: PageBlobClient }> {
  const { BlobServiceClient } = await import('@azure/storage-blob');
  const service =
    'connectionString' in login
      ? BlobServiceClient.fromConnectionString(login.connectionString.reveal(), RETRIES)
      : new BlobServiceClient(place.endpoint, login.credential, RETRIES);
  const container = service.getContainerClient(place.container);
  return { container, blob: container.getPageBlobClient(place.name) };
}

async function translated<T>(what: string, signal: AbortSignal | undefined, run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (thrown) {
    signal?.throwIfAborted();
    throw blobFailure(thrown, withoutQuery(what));
  }
}

/** By status and the service's own code; never by its words, and without the request, which carries the login. */
export function blobFailure(thrown: unknown, what: string): unknown {
  if (!(thrown instanceof Error)) return thrown;
  const status = 'statusCode' in thrown && typeof thrown.statusCode === 'number' ? thrown.statusCode : undefined;
  const code = 'code' in thrown && typeof thrown.code === 'string' ? thrown.code : 'no code';
  const said = `${what} failed: HTTP ${status} (${code})`;
  const cause = new Error(`${thrown.name} ${code}`);
  // Nobody of ours aborted it: a try took too long.
  if (thrown.name === 'AbortError')
    return new TransientError(`${what} was not answered in time`, { code: 'image/upload-cut-off', cause });
  if (thrown.name !== 'RestError' || status === undefined) return failureWithoutAnswer(thrown, what);
  if (status === 401 || status === 403) return new Forbidden(said, cause);
  if (status === 404) return new NotFound(what, cause);
  if (status === 409 || status === 412) return new Conflict(said, cause);
  if (status === 429 || code === 'ServerBusy') return new Throttled(said, BUSY_MS, cause);
  // A checksum that does not fit the bytes: they were damaged on their way, and are sent anew next time.
  if (status >= 500 || code === 'Md5Mismatch') return new TransientError(said, { code: 'image/upload-cut-off', cause });
  return new Refused(said, 'image/upload-refused', cause);
}

const BUSY_MS = 30_000;

/** A query may carry a signature, which opens the blob. */
function withoutQuery(text: string): string {
  return text.replace(/\?\S*/, '');
}

/** Headers have no case; the service gives metadata back as it likes. */
function lowerCased(metadata: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(metadata).map(([name, value]) => [name.toLowerCase(), value]));
}
