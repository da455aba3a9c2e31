// vms/qemu/home/remove.ts: take a folder away so that nobody ever sees half of it, and finish what a dead command began.
import { randomBytes } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { isMissing } from '../../../host/json-file.ts';
import { deletingPrefix } from './layout.ts';

/** Gone already is success. */
export async function removeAtOnce(folder: string): Promise<void> {
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

/** Of a folder that is not there: none. */
export function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder).sort();
  } catch (error) {
    if (isMissing(error)) return [];
    throw error;
  }
}

export const visibleIn = (folder: string) => namesIn(folder).filter((name) => !name.startsWith('.'));
