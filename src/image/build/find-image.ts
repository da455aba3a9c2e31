// image/build/find-image.ts: is an image already built? Compares the content hash in its folder, then verifies every byte.
import { join } from 'node:path';
import { UserError } from '../../base/errors.ts';
import { imageDefinitionName, imageVersionName } from '../publish/names.ts';
import { readBuild, verifyBuild } from './build-folder.ts';
import type { BuildRecord, ImageBuildDeps, ImageTarget } from './contract.ts';
import { diskName, type Format } from './disk/disk.ts';
import { imageContent } from './image-content.ts';
import type { Places } from './stage.ts';

export interface BuiltImage {
  folder: string;
  record: BuildRecord;
  /** False if it was already built and is unchanged. */
  isNew: boolean;
  warnings: readonly string[];
}

/** `<out>/node-1.35.8-2026.1116.0`. */
export function buildFolder({ lock, kubernetes }: ImageTarget, out: string): string {
  return join(out, `${imageDefinitionName(lock.name, kubernetes)}-${imageVersionName(lock.base)}`);
}

/** Whether an image with the same content and all requested formats exists. Does not verify its bytes. */
export async function isImageBuilt(target: ImageTarget, places: Omit<Places, 'cacheFolder'>): Promise<boolean> {
  return (await findRecord(target, places)) !== undefined;
}

/** The same, but verifies every byte. */
export async function findImage(
  target: ImageTarget,
  places: Omit<Places, 'cacheFolder'>,
  { signal, onWaiting }: Pick<ImageBuildDeps, 'signal' | 'onWaiting'>,
): Promise<BuiltImage | undefined> {
  const record = await findRecord(target, places);
  if (!record) return undefined;
  const folder = buildFolder(target, places.out);
  try {
    await verifyBuild(folder, record, { signal, ...(onWaiting && { onWaiting }) });
    return { folder, record, isNew: false, warnings: [] };
  } catch (error) {
    signal?.throwIfAborted();
    if (error instanceof UserError) return undefined; // damaged: build it again
    throw error;
  }
}

async function findRecord(
  target: ImageTarget,
  { out, formats, tools }: Omit<Places, 'cacheFolder'>,
): Promise<BuildRecord | undefined> {
  const record = await recordOfContent(buildFolder(target, out), await imageContent(target, tools));
  return record && hasFormats(record, formats) ? record : undefined;
}

const hasFormats = ({ files }: BuildRecord, formats: readonly Format[]) =>
  formats.every((format) => files[diskName(format)]);

/** The record of a folder if it was built from this content. */
export async function recordOfContent(folder: string, contentSha256: string): Promise<BuildRecord | undefined> {
  try {
    const record = await readBuild(folder);
    return record.contentSha256 === contentSha256 ? record : undefined;
  } catch (error) {
    if (error instanceof UserError) return undefined; // not a built image
    throw error;
  }
}
