// host/file-sum.ts: size and sha256 of a file, and syncing files to disk.
import { createHash } from 'node:crypto';
import { constants, createReadStream } from 'node:fs';
import { open, stat } from 'node:fs/promises';

export interface FileSum {
  bytes: number;
  sha256: string;
}

export async function checksumFile(file: string, signal?: AbortSignal): Promise<FileSum> {
  const hash = createHash('sha256');
  let bytes = 0;
  for await (const chunk of createReadStream(file, { highWaterMark: 1 << 20, signal })) {
    hash.update(chunk);
    bytes += chunk.length;
  }
  return { bytes, sha256: hash.digest('hex') };
}

/** fsync before a rename, so that the renamed file is complete even after a power cut. */
export async function syncFiles(paths: readonly string[]): Promise<void> {
  for (const path of paths) {
    const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW);
    try {
      await file.sync();
    } finally {
      await file.close();
    }
  }
}

export const fileSizeBytes = async (file: string) => (await stat(file)).size;
