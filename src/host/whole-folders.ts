// host/whole-folders.ts: delete a folder atomically, and clean up folders that a killed command left half made or half deleted.
import { randomBytes } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { isMissing } from './json-file.ts';

/** A folder being made. A command that finds one while holding the same lock may delete it. */
export const partialPrefix = '.partial-';
/** A folder being deleted. Any command may finish that. */
export const deletingPrefix = '.deleting-';

/** Succeeds when the folder does not exist. */
export async function removeAtomically(folder: string): Promise<void> {
  const parent = dirname(folder);
  const away = join(parent, `${deletingPrefix}${basename(folder)}-${randomBytes(4).toString('hex')}`);
  try {
    await rename(folder, away);
  } catch (error) {
    if (!isMissing(error)) throw error;
  }
  await removeLeftovers(parent, deletingPrefix);
}

export async function removeLeftovers(folder: string, prefix: string): Promise<void> {
  for (const name of namesIn(folder).filter((one) => one.startsWith(prefix)))
    await rm(join(folder, name), { recursive: true, force: true });
}

/** Empty when the folder does not exist. */
export function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder).sort();
  } catch (error) {
    if (isMissing(error)) return [];
    throw error;
  }
}

export const visibleIn = (folder: string) => namesIn(folder).filter((name) => !name.startsWith('.'));
