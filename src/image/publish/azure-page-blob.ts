// image/publish/azure-page-blob.ts: a page blob on Azure, through the official SDK, which is loaded on the first call.
import { createHash } from 'node:crypto';
import type { TokenCredential } from '@azure/identity';
import type { ContainerClient, PageBlobClient } from '@azure/storage-blob';
import { TransientError } from '../../base/errors.ts';
import { Conflict, Forbidden, NotFound, Refused, Throttled } from '../../base/failures.ts';
import type { Secret } from '../../base/secret.ts';
import { failureWithoutResponse } from '../../vms/azure/connect/translate-errors.ts';
import type { PageBlob } from './page-blob.ts';

export interface BlobLocation {
  /** `https://account.blob.core.windows.net`. */
  endpoint: string;
  container: string;
  name: string;
}

/** A token credential, or a connection string that contains a key. */
export type BlobLogin = { credential: TokenCredential } | { connectionString: Secret };

export async function azurePageBlob(place: BlobLocation, login: BlobLogin, signal?: AbortSignal): Promise<PageBlob> {
  const { container, blob } = await clientsOf(place, login);
  const abortable = signal ? { abortSignal: signal } : {};
  const call = <T>(doing: string, run: () => Promise<T>) => translated(`${doing} ${blob.url}`, signal, run);
  return {
    url: withoutQuery(blob.url),
    inspect: () =>
      call('inspecting', async () => {
        const { contentLength = 0, metadata = {}, blobType } = await blob.getProperties(abortable);
        if (blobType !== 'PageBlob')
          throw new Refused(`${withoutQuery(blob.url)} is not a page blob`, 'image/other-blob');
        return { bytes: contentLength, metadata: lowerCased(metadata) };
      }).catch((error: unknown) => {
        if (error instanceof NotFound) return undefined;
        throw error;
      }),
    create: ({ bytes, metadata }) =>
      call('creating', async () => {
        await container.createIfNotExists(abortable);
        await blob.create(bytes, { ...abortable, metadata: { ...metadata }, conditions: { ifNoneMatch: '*' } });
      }).catch((error: unknown) => {
        if (!(error instanceof Conflict)) throw error;
      }),
    ranges: () =>
      call('listing the pages of', async () => {
        const ranges = [];
        for await (const { start, end, isClear } of blob.listPageRanges(0, undefined, abortable))
          if (!isClear) ranges.push({ offset: start, bytes: end - start + 1 });
        return ranges;
      }),
    read: ({ offset, bytes }) => call('reading', () => blob.downloadToBuffer(offset, bytes, abortable)),
    write: (offset, pages) =>
      call('writing', async () => {
        const transactionalContentMD5 = createHash('md5').update(pages).digest();
        await blob.uploadPages(pages, offset, pages.length, { ...abortable, transactionalContentMD5 });
      }),
    clear: ({ offset, bytes }) =>
      call('clearing', async () => {
        await blob.clearPages(offset, bytes, abortable);
      }),
    setMetadata: (metadata) =>
      call('setting the metadata of', async () => {
        await blob.setMetadata({ ...metadata }, abortable);
      }),
  };
}

/** The SDK retries network errors; the caller handles the rest. */
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

/** Classifies by status and error code, never by message. The cause leaves out the request, which contains the credentials. */
export function blobFailure(thrown: unknown, what: string): unknown {
  if (!(thrown instanceof Error)) return thrown;
  const status = 'statusCode' in thrown && typeof thrown.statusCode === 'number' ? thrown.statusCode : undefined;
  const code = 'code' in thrown && typeof thrown.code === 'string' ? thrown.code : 'no code';
  const message = `${what} failed: HTTP ${status} (${code})`;
  const cause = new Error(`${thrown.name} ${code}`);
  // The caller did not abort it (its signal was checked before), so a try timed out.
  if (thrown.name === 'AbortError')
    return new TransientError(`${what} timed out`, { code: 'image/upload-cut-off', cause });
  if (thrown.name !== 'RestError' || status === undefined) return failureWithoutResponse(thrown, what);
  if (status === 401 || status === 403) return new Forbidden(message, cause);
  if (status === 404) return new NotFound(what, cause);
  if (status === 409 || status === 412) return new Conflict(message, cause);
  if (status === 429 || code === 'ServerBusy') return new Throttled(message, BUSY_MS, cause);
  // An MD5 mismatch means that the bytes were damaged in transit; a retry sends them again.
  if (status >= 500 || code === 'Md5Mismatch')
    return new TransientError(message, { code: 'image/upload-cut-off', cause });
  return new Refused(message, 'image/upload-refused', cause);
}

const BUSY_MS = 30_000;

/** A query may contain a signature that grants access to the blob. */
function withoutQuery(text: string): string {
  return text.replace(/\?\S*/, '');
}

/** Header names are case-insensitive, and the service may return metadata names in any case. */
function lowerCased(metadata: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(metadata).map(([name, value]) => [name.toLowerCase(), value]));
}
