// image/build/replace-folder.ts: how is a folder replaced as a whole? The new one is built next to it and renamed; a crash never loses the old one.
import { mkdir, mkdtemp, readdir, rename, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { isMissing } from '../../host/json-file.ts';

/**
 * `make` gets a work folder and returns which folder in it becomes the new one. The rest is always removed, and so are leftovers of
 * killed calls; the caller therefore makes sure that only one call per place runs. `remove` must accept a missing folder.
 *
 * Does not sync to disk: the content has checksums, which reveal damage after a power cut.
 */
export async function replaceFolder<T>(
  place: string,
  remove: (folder: string) => Promise<void>,
  make: (work: string) => Promise<{ from: string; result: T }>,
): Promise<T> {
  const parent = dirname(place);
  await mkdir(parent, { recursive: true });
  await cleanUp(place, remove);
  const work = await mkdtemp(join(parent, partialOf(place)));
  try {
    const { from, result } = await make(work);
    const old = replacedBy(place);
    if (await exists(place)) await rename(place, old);
    await rename(from, place);
    await remove(old);
    return result;
  } finally {
    await remove(work);
  }
}

const partialOf = (place: string) => `.partial-${basename(place)}-`;
const replacedBy = (place: string) => join(dirname(place), `.replaced-${basename(place)}`);

async function cleanUp(place: string, remove: (folder: string) => Promise<void>): Promise<void> {
  const [parent, old] = [dirname(place), replacedBy(place)];
  for (const name of await readdir(parent)) {
    if (name.startsWith(partialOf(place))) await remove(join(parent, name));
  }
  if (!(await exists(old))) return;
  // A crash between the two renames leaves only the old folder, under its temporary name.
  if (await exists(place)) await remove(old);
  else await rename(old, place);
}

async function exists(path: string): Promise<boolean> {
  try {
    await stat(path);
    return true;
  } catch (error) {
    if (isMissing(error)) return false;
    throw error;
  }
}
