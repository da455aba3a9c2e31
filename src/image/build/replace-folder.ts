// image/build/replace-folder.ts: a folder that is made beside its place and then takes it: whole or not at all, and what was there is there until then.
import { mkdir, mkdtemp, readdir, rename, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { isMissing } from '../../host/json-file.ts';

/**
 * `make` gets a folder for everything it needs, and says which folder in it is to take the place. Whatever happens, the rest is removed; so
 * is what a call left that was killed, for which the caller sees to it that there is one at a time. `remove`: what is not there is removed.
 *
 * Not synced to the disk: what is in it has checksums, by which whoever uses it finds out what a power cut left.
 */
export async function replaceFolder<T>(
  place: string,
  remove: (folder: string) => Promise<void>,
  make: (work: string) => Promise<{ from: string; result: T }>,
): Promise<T> {
  const parent = dirname(place);
  await mkdir(parent, { recursive: true });
  await clearUp(place, remove);
  const work = await mkdtemp(join(parent, partialOf(place)));
  try {
    const { from, result } = await make(work);
    const old = replacedBy(place);
    if (await isThere(place)) await rename(place, old);
    await rename(from, place);
    await remove(old);
    return result;
  } finally {
    await remove(work);
  }
}

const partialOf = (place: string) => `.partial-${basename(place)}-`;
const replacedBy = (place: string) => join(dirname(place), `.replaced-${basename(place)}`);

async function clearUp(place: string, remove: (folder: string) => Promise<void>): Promise<void> {
  const [parent, old] = [dirname(place), replacedBy(place)];
  for (const name of await readdir(parent)) {
    if (name.startsWith(partialOf(place))) await remove(join(parent, name));
  }
  if (!(await isThere(old))) return;
  // Cut off between the two renames, the old one is beside its place.
  if (await isThere(place)) await remove(old);
  else await rename(old, place);
}

async function isThere(path: string): Promise<boolean> {
  try {
    await stat(path);
    return true;
  } catch (error) {
    if (isMissing(error)) return false;
    throw error;
  }
}
