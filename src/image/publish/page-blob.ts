// image/publish/page-blob.ts: what does an upload need of a page blob? Types only; azure-page-blob.ts is the real one.
import type { PageRange } from './pages.ts';

export interface BlobFacts {
  bytes: number;
  metadata: Readonly<Record<string, string>>;
}

/** Failures come in the kinds of base/failures.ts. */
export interface PageBlob {
  /** Without anything that opens it. */
  readonly url: string;
  /** Undefined: there is none. */
  inspect(): Promise<BlobFacts | undefined>;
  /** Empty, with its container. There already, whoever made it, is success: `look` tells what it is. */
  create(facts: BlobFacts): Promise<void>;
  /** What was ever written and not cleared since. */
  ranges(): Promise<PageRange[]>;
  read(range: PageRange): Promise<Buffer>;
  /** At most 4 MiB, whole pages; with a checksum that the other side verifies before it takes them. */
  write(offset: number, pages: Buffer): Promise<void>;
  clear(range: PageRange): Promise<void>;
  setMetadata(metadata: Readonly<Record<string, string>>): Promise<void>;
}
