// base/own-files/embedded-files.ts: what does the executable contain besides the script that started it? Reads its assets, and unpacks them for other programs.
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { cacheFolder, ensureCacheFolder, ensureFolder, writeToCache } from '../cache-folder.ts';
import { writeFileAtomic } from '../files.ts';

/** In the executable, the URL of every source has this scheme. */
export const EMBEDDED = 'embedded:';
/** `headstart __program NAME` runs another program of the executable. */
export const PROGRAM_WORD = '__program';
export const LOADER = 'loader.cjs';
/** The list of the files that other programs may read. */
export const INDEX = 'files.json';

export interface EmbeddedIndex {
  /** Hash of all these files. */
  sha256: string;
  files: { path: string; isExecutable: boolean }[];
}

type ReadAsset = (path: string) => Uint8Array;

export function isEmbedded({ protocol }: URL): boolean {
  return protocol === EMBEDDED;
}

/** `embedded:///src/cli/bin.ts` → `src/cli/bin.ts` */
export function nameOf({ pathname }: URL): string {
  return pathname.replace(/^\//, '');
}

export function embeddedText(name: string): string {
  return sea().getAsset(name, 'utf8');
}

export function embeddedPath(name: string): string {
  const index = JSON.parse(embeddedText(INDEX)) as EmbeddedIndex;
  const folder = unpackedFolder(index, process.env);
  ensureUnpacked(index, folder, (path) => Buffer.from(sea().getRawAsset(path)));
  return join(folder, name);
}

/** In the user's own cache: another user must not be able to replace a script that root will run. */
export function unpackedFolder({ sha256 }: EmbeddedIndex, env: Readonly<Record<string, string | undefined>>): string {
  return join(cacheFolder(env), 'files', sha256.slice(0, 16));
}

/** Programs that clean caches may have deleted single files. */
export function ensureUnpacked(index: EmbeddedIndex, folder: string, read: ReadAsset): void {
  if (!existsSync(folder)) unpack(index, folder, read);
  const missing = index.files.filter(({ path }) => !existsSync(join(folder, path)));
  writeToCache(folder, () => {
    for (const { path, isExecutable } of missing) {
      ensureFolder(dirname(join(folder, path)));
      writeFileAtomic(join(folder, path), read(path), modeOf(isExecutable)); // a program may look for it meanwhile
    }
  });
}

/** All files or none: two processes may unpack at the same time, and either may be killed. */
export function unpack({ files }: EmbeddedIndex, folder: string, read: ReadAsset): void {
  const parent = dirname(folder);
  ensureCacheFolder(parent, 0o700);
  writeToCache(parent, () => {
    const partial = mkdtempSync(`${folder}.`);
    try {
      for (const { path, isExecutable } of files) {
        mkdirSync(dirname(join(partial, path)), { recursive: true });
        writeFileSync(join(partial, path), read(path), { mode: modeOf(isExecutable) });
      }
      renameSync(partial, folder);
    } catch (error) {
      rmSync(partial, { recursive: true, force: true });
      if (!existsSync(folder)) throw error; // otherwise another process was faster
    }
  });
}

const modeOf = (isExecutable: boolean) => (isExecutable ? 0o755 : 0o644);

function sea(): typeof import('node:sea') {
  return process.getBuiltinModule('node:sea');
}
