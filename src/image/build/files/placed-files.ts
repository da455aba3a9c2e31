// image/build/files/placed-files.ts: which files of components did a build put on its image? What a test looks for inside; packages know their own, container images are in a store.
import { createHash } from 'node:crypto';
import { z } from 'zod';
import { checksumFile } from '../../../host/file-sum.ts';
import type { DiskFile } from '../disk/put-files.ts';

export interface PlacedFile {
  /** From the root: `/usr/bin/kubelet`. */
  path: string;
  /** Of a file. */
  mode?: number;
  sha256?: string;
  /** Of a link. */
  to?: string;
}

export const PLACED_FILES = 'files.json';

export const placedSchema: z.ZodType<PlacedFile[]> = z.array(
  z.object({
    path: z.string().regex(/^\/[^\0\n]+$/, 'is not a path from the root'),
    mode: z.int().exactOptional(),
    sha256: z.string().exactOptional(),
    to: z.string().exactOptional(),
  }),
);

const recordSchema = z.object({
  apiVersion: z.literal('headstart.dev/v1'),
  kind: z.literal('ImageFiles'),
  files: placedSchema,
});

/** Hashed as they are now, on their way to the image. */
export async function placedFiles(files: readonly DiskFile[], signal?: AbortSignal): Promise<PlacedFile[]> {
  const placed: PlacedFile[] = [];
  for (const file of files) {
    const path = `/${file.path}`;
    if ('to' in file) placed.push({ path, to: file.to });
    else if ('from' in file)
      placed.push({ path, mode: file.mode, sha256: (await checksumFile(file.from, signal)).sha256 });
    else if ('bytes' in file) {
      placed.push({ path, mode: file.mode, sha256: createHash('sha256').update(file.bytes).digest('hex') });
    }
  }
  return placed;
}

/** `files.json` of a build. Of two with one path the later one is on the image. */
export function renderPlaced(files: readonly PlacedFile[]): string {
  const once = [...new Map(files.map((file) => [file.path, file])).values()];
  const sorted = once.sort((a, b) => (a.path < b.path ? -1 : 1));
  return `${JSON.stringify({ apiVersion: 'headstart.dev/v1', kind: 'ImageFiles', files: sorted }, null, 2)}\n`;
}

export function parsePlaced(text: string): PlacedFile[] {
  return recordSchema.parse(JSON.parse(text)).files;
}
