// image/build/files/placed-files.ts: which component files did a build install? A test checks them; packages and container images are checked separately.
import { createHash } from 'node:crypto';
import { z } from 'zod';
import { sumOf } from '../../../host/file-sum.ts';
import type { DiskFile } from '../disk/put-files.ts';

export interface PlacedFile {
  /** Absolute: `/usr/bin/kubelet`. */
  path: string;
  /** For a file. */
  mode?: number;
  sha256?: string;
  /** For a symbolic link. */
  to?: string;
}

export const PLACED_FILES = 'files.json';

export const placedSchema: z.ZodType<PlacedFile[]> = z.array(
  z.object({
    path: z.string().regex(/^\/[^\0\n]+$/, 'is not an absolute path'),
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

/** Hashes the files as they are written to the image. */
export async function placedFiles(files: readonly DiskFile[], signal?: AbortSignal): Promise<PlacedFile[]> {
  const placed: PlacedFile[] = [];
  for (const file of files) {
    const path = `/${file.path}`;
    if ('to' in file) placed.push({ path, to: file.to });
    else if ('from' in file) placed.push({ path, mode: file.mode, sha256: (await sumOf(file.from, signal)).sha256 });
    else if ('bytes' in file) {
      placed.push({ path, mode: file.mode, sha256: createHash('sha256').update(file.bytes).digest('hex') });
    }
  }
  return placed;
}

/** `files.json` of a build. If two entries have the same path, the later one wins. */
export function renderPlaced(files: readonly PlacedFile[]): string {
  const once = [...new Map(files.map((file) => [file.path, file])).values()];
  const sorted = once.sort((a, b) => (a.path < b.path ? -1 : 1));
  return `${JSON.stringify({ apiVersion: 'headstart.dev/v1', kind: 'ImageFiles', files: sorted }, null, 2)}\n`;
}

export function parsePlaced(text: string): PlacedFile[] {
  return recordSchema.parse(JSON.parse(text)).files;
}
