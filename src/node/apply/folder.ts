// node/apply/folder.ts: where does the node persist its state, and how are files replaced so that a power cut leaves
// the old or the new version, never a mix?
import { readdirSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { UserError } from '../../base/errors.ts';
import { readPlainFile } from '../observe/plain-file.ts';
import type { NodeDisk } from './disk.ts';
import {
  FIRST_STATE,
  type Generation,
  type Journal,
  parseGeneration,
  parseJournal,
  parseState,
  renderGeneration,
  renderJournal,
  renderState,
  type State,
} from './records.ts';
import { stagedPath } from './steps/stage.ts';

export const STORE = '/var/lib/headstart/node';
const STATE = `${STORE}/state`;
const JOURNAL = `${STORE}/journal`;
const GENERATIONS = `${STORE}/generations`;
/** Reserves disk space during a change, so that a rollback has enough. */
const BALLAST = `${STORE}/ballast`;
const BALLAST_BYTES = 256 << 10;

/** Far more than a document, its secrets and the replaced files need. */
const MAX_BYTES = 64 << 20;
/** In addition to the generations that are in use. */
const KEPT_GENERATIONS = 10;

export interface Folder {
  readState(): State;
  /** Undefined: no change is in progress. */
  readJournal(): Journal | undefined;
  /** Undefined when the generation does not exist. */
  readGeneration(number: number): Generation | undefined;
  /** The generation with the facts of the active one, because an address may have changed since. Undefined when it does not exist. */
  readWithCurrentFacts(number: number, state: State): Generation | undefined;
  /** Newest first, without generations that were begun and never recorded. */
  generations(state: State): Generation[];
  writeState(state: State): Promise<void>;
  /** Once this returns, the change will be finished or rolled back, if necessary by the next process. */
  writeJournal(journal: Journal): Promise<void>;
  /** For a change that executed no step. */
  dropJournal(): Promise<void>;
  freeBallast(): void;
  /** `touched`: folders to sync before the journal is deleted. */
  finish(after: State, generation: Generation | undefined, touched: Iterable<string>): Promise<void>;
}

export function openFolder(root: string, disk: NodeDisk): Folder {
  const read = <T>(path: string, parse: (text: string) => T): T | undefined => readOwn(join(root, path), parse);

  const readGeneration = (number: number) => read(`${GENERATIONS}/${number}`, parseGeneration);

  function numbers(): number[] {
    try {
      const names = readdirSync(join(root, GENERATIONS)).filter((name) => /^\d+$/.test(name));
      return names.map(Number).sort((a, b) => b - a);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
      throw error;
    }
  }

  /** Replaces no file if a write fails. The last rename commits. */
  async function write(files: readonly (readonly [string, string])[], touched: readonly string[] = []): Promise<void> {
    const names = files.map(([path]) => path);
    await makeFolders();
    try {
      for (const [path, text] of files) disk.create(stagedPath(path), Buffer.from(text), { mode: 0o600 });
      await Promise.all([disk.syncFiles(names.map(stagedPath)), disk.syncFolders(touched)]);
    } catch (error) {
      for (const path of names) disk.remove(stagedPath(path));
      throw error;
    }
    for (const path of names) disk.rename(stagedPath(path), path);
    await disk.syncFolders([...new Set(names.map((path) => dirname(path)))]);
  }

  /** Generations contain secrets, so unreachable ones are deleted. */
  function prune({ slots, lastNumber }: State): void {
    const { active, lastKnownGood, watch } = slots;
    const needed = [active?.number, lastKnownGood?.number, watch?.backTo];
    const lost = numbers().filter((number) => number > lastNumber);
    const spare = numbers().filter((number) => number <= lastNumber && !needed.includes(number));
    for (const number of [...lost, ...spare.slice(KEPT_GENERATIONS)]) disk.remove(`${GENERATIONS}/${number}`);
  }

  return {
    readState: () => read(STATE, parseState) ?? FIRST_STATE,
    readJournal: () => read(JOURNAL, parseJournal),
    readGeneration,
    readWithCurrentFacts(number, { slots }) {
      const generation = readGeneration(number);
      const latest = slots.active && readGeneration(slots.active.number);
      if (generation === undefined || latest === undefined) return generation;
      return { ...generation, assignment: { ...generation.assignment, facts: latest.assignment.facts } };
    },
    generations: ({ lastNumber }) =>
      numbers()
        .filter((number) => number <= lastNumber)
        .flatMap((number) => readGeneration(number) ?? []),
    writeState: (state) => write([[STATE, renderState(state)]]),
    async writeJournal(journal) {
      const text = renderJournal(journal);
      const isFirst = journal.kind === 'forward' && journal.attempts === 1;
      if (!isFirst) return write([[JOURNAL, text]]);
      await makeFolders();
      try {
        disk.create(BALLAST, new Uint8Array(Math.max(BALLAST_BYTES, 2 * text.length)), { mode: 0o600 });
        await write([[JOURNAL, text]]);
      } catch (error) {
        disk.remove(BALLAST);
        throw error;
      }
    },
    async dropJournal() {
      disk.remove(BALLAST);
      disk.remove(JOURNAL);
      await disk.syncFolders([STORE]);
    },
    freeBallast: () => disk.remove(BALLAST),
    async finish(after, generation, touched) {
      disk.remove(BALLAST); // all steps are done: the remaining writes may use its space
      const record = generation && ([`${GENERATIONS}/${generation.number}`, renderGeneration(generation)] as const);
      await write([...(record ? [record] : []), [STATE, renderState(after)]], [...touched]);
      disk.remove(JOURNAL);
      prune(after);
      await disk.syncFolders([STORE]); // otherwise a power cut could restore the journal, and the change would run again
    },
  };

  async function makeFolders(): Promise<void> {
    const missing = ['/var', '/var/lib', dirname(STORE), STORE, GENERATIONS].filter(
      (path) => !isFolder(join(root, path)),
    );
    for (const path of missing) disk.makeFolder(path, path.startsWith(dirname(STORE)) ? 0o700 : 0o755);
    await disk.syncFolders(missing.map((path) => dirname(path)));
  }
}

function isFolder(path: string): boolean {
  try {
    readdirSync(path);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false;
    throw error;
  }
}

function readOwn<T>(path: string, parse: (text: string) => T): T | undefined {
  try {
    const bytes = readPlainFile(path, MAX_BYTES);
    return bytes && parse(Buffer.from(bytes).toString('utf8'));
  } catch (cause) {
    throw new UserError(`cannot read the saved state of this node (${basename(path)})`, {
      code: 'apply/memory-unreadable',
      kept: 'The node keeps its configuration; headstart changes nothing without the saved state.',
      next: 'replace the node',
      exitCode: 1,
      // A SyntaxError quotes the file, which may contain secrets.
      ...(!(cause instanceof SyntaxError) && { cause }),
    });
  }
}
