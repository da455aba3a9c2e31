// container/own-programs.ts: which programs does headstart start as processes and threads, and which files do its sources read?
import { readdirSync, readFileSync } from 'node:fs';
import { join, posix, relative } from 'node:path';

export const SOURCE_FOLDERS = ['src', 'sims'];
/** Modules of other languages that are built on the user's machine. */
const OTHER_FOLDERS = ['tools/kube'];
const COMMAND_LINE = { name: 'headstart', source: 'src/cli/bin.ts' };
const IS_TEST = /(^|\/)(fixtures|testing)\/|[./-](test|testing|suite)\.ts$/;

export interface OwnProgram {
  name: string;
  /** Relative to the root of the tree, as all paths here. */
  source: string;
  /** Where it is named. */
  calls: { from: string; text: string }[];
}

/** The command line first, then each TypeScript file that a source names with `new URL`. */
export function ownPrograms(root: string): OwnProgram[] {
  const sources = filesBelow(root, SOURCE_FOLDERS).filter((path) => path.endsWith('.ts') && !IS_TEST.test(path));
  const calls = sources.flatMap((from) => programsNamedIn(from, readFileSync(join(root, from), 'utf8')));
  const bySource = Map.groupBy(calls, ({ source }) => source);
  const named = [...bySource.keys()].filter((source) => source !== COMMAND_LINE.source).sort();
  return [COMMAND_LINE, ...named.map((source) => ({ name: nameOfProgram(source), source }))].map((program) => ({
    ...program,
    calls: (bySource.get(program.source) ?? []).map(({ from, text }) => ({ from, text })),
  }));
}

export function programsNamedIn(from: string, code: string): { source: string; from: string; text: string }[] {
  return [...code.matchAll(/\bnew URL\('(\.[^']+\.ts)', import\.meta\.url\)/g)].map(([text, path]) => ({
    source: posix.join(posix.dirname(from), path!),
    from,
    text,
  }));
}

/** `src/cli/cluster/egress.ts` → `cli-cluster-egress` */
function nameOfProgram(source: string): string {
  return source.replace(/^src\/|\.ts$/g, '').replaceAll('/', '-');
}

/** All files that are not code or tests. They are small, and a list of those needed at run time would become outdated. */
export function shippedSources(root: string): string[] {
  return filesBelow(root, [...SOURCE_FOLDERS, ...OTHER_FOLDERS])
    .filter((path) => !IS_TEST.test(path) && !/\.(ts|cjs|md)$/.test(path))
    .sort();
}

function filesBelow(root: string, folders: readonly string[]): string[] {
  return folders
    .flatMap((folder) => readdirSync(join(root, folder), { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map((entry) => relative(root, join(entry.parentPath, entry.name)));
}
