// image/build/find-image.ts: is an image there already? Its folder says which content it was built from; then every byte is verified.
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
  /** false: it was there already, byte for byte. */
  isNew: boolean;
  warnings: readonly string[];
}

/** `<out>/node-1.35.8-2026.1116.0`. */
export function buildFolder({ lock, kubernetes }: ImageTarget, out: string): string {
  return join(out, `${imageDefinitionName(lock.name, kubernetes)}-${imageVersionName(lock.base)}`);
}

/** The image of the same content, in all formats that are wanted. Its bytes are not read. */
export async function isImageBuilt(target: ImageTarget, places: Omit<Places, 'cacheFolder'>): Promise<boolean> {
  return (await findRecord(target, places)) !== undefined;
}

/** The same, with every byte as it was built. */
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
    if (error instanceof UserError) return undefined; // damaged: it is built again
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

/** The record of a folder, if it was built from this content. */
export async function recordOfContent(folder: string, contentSha256: string): Promise<BuildRecord | undefined> {
  try {
    const record = await readBuild(folder);
    return record.contentSha256 === contentSha256 ? record : undefined;
  } catch (error) {
    if (error instanceof UserError) return undefined; // none there
    throw error;
  }
}
