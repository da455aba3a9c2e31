// image/publish/page-blob.ts: what does an upload need from a page blob? Types only; azure-page-blob.ts implements them.
import type { PageRange } from './pages.ts';

export interface BlobFacts {
  bytes: number;
  metadata: Readonly<Record<string, string>>;
}

/** Failures are the classes of base/failures.ts. */
export interface PageBlob {
  /** Without a signature or other credentials. */
  readonly url: string;
  /** Undefined if the blob does not exist. */
  inspect(): Promise<BlobFacts | undefined>;
  /** Creates an empty blob and its container. Succeeds if a blob exists; call `inspect` to find out what it is. */
  create(facts: BlobFacts): Promise<void>;
  /** Pages that were written and not cleared since. */
  ranges(): Promise<PageRange[]>;
  read(range: PageRange): Promise<Buffer>;
  /** At most 4 MiB of whole pages, with a checksum that the service verifies. */
  write(offset: number, pages: Buffer): Promise<void>;
  clear(range: PageRange): Promise<void>;
  setMetadata(metadata: Readonly<Record<string, string>>): Promise<void>;
}
