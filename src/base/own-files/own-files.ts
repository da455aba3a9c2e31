// base/own-files/own-files.ts: how does headstart find its own scripts, style sheets and programs: next to its sources, or inside the executable?
// Every function takes a URL relative to import.meta.url, with the path as a literal: the bundler (container/bundle.ts) finds programs by it.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Worker, type WorkerOptions } from 'node:worker_threads';
import type { Argv } from '../command.ts';
import { embeddedPath, embeddedText, isEmbedded, LOADER, nameOf, PROGRAM_WORD } from './embedded-files.ts';

export function ownText(file: URL): string {
  return isEmbedded(file) ? embeddedText(nameOf(file)) : readFileSync(file, 'utf8');
}

/** A file or a folder that other programs read. The executable unpacks its files once, into the cache folder. */
export function ownPath(place: URL): string {
  return isEmbedded(place) ? embeddedPath(nameOf(place)) : fileURLToPath(place);
}

/** The words that start one of our own programs, given by its source. `flags` are those of Node.js. */
export function ownProgram(source: URL, flags: readonly string[] = ['--no-warnings']): Argv {
  if (!isEmbedded(source)) return [process.execPath, ...flags, fileURLToPath(source)];
  const name = nameOf(source);
  return name === 'headstart.js' ? [process.execPath] : [process.execPath, PROGRAM_WORD, name];
}

export function ownWorker(source: URL, options: WorkerOptions): Worker {
  if (!isEmbedded(source)) return new Worker(source, options);
  return new Worker(`${embeddedText(LOADER)}\nload(${JSON.stringify(nameOf(source))});`, { ...options, eval: true });
}

/** The path of `headstart` for people and units: the launcher of a checkout or an installed package, or the executable. */
export function ownLauncher(launcher: URL): string {
  return isEmbedded(launcher) ? process.execPath : fileURLToPath(launcher);
}
