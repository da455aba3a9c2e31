// architecture.testing.ts: which source files exist, what does each import, and what does ARCHITECTURE.md allow?
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('..', import.meta.url));

const isTest = (file: string) => /\.(test|suite)\.ts$|testing\.ts$/.test(file);
const inside = (folder: string) =>
  readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.ts') && !entry.parentPath.includes('fixtures'))
    .map((entry) => relative(root, join(entry.parentPath, entry.name)))
    .toSorted();

/** Every file of `src` and `sims`, relative to the repository. */
export const files: readonly string[] = [...inside('src'), ...inside('sims')];

/** Without tests, test helpers and suites. */
export const sources: readonly string[] = files.filter((file) => !isTest(file) && file.split('/').length > 2);

export const textOf = (file: string) => readFileSync(join(root, file), 'utf8');

/** All imports of a file, including types and `import()`: paths in the repository, or package names. */
export function importsOf(file: string, text = textOf(file)): string[] {
  return specifiersIn(text).map((name) => (name.startsWith('.') ? normalize(join(dirname(file), name)) : name));
}

/** Without type imports. */
export function valueImportsOf(file: string): string[] {
  return importsOf(file, withoutTypes(textOf(file)));
}

export const withoutTypes = (text: string) => text.replaceAll(/^(?:import|export) type\s[^;]*;/gm, '');

export function specifiersIn(text: string): string[] {
  const found = text.matchAll(
    /(?:^|\n)\s*(?:import|export)\s[^'"]*?from\s+'([^']+)'|\bimport\('([^']+)'\)|^import\s+'([^']+)'/g,
  );
  return [...found].map((match) => (match[1] ?? match[2] ?? match[3])!);
}

/** `src/boot/load/x.ts` → `boot`; `sims/azure/x.ts` → `sims`; package.json → undefined. */
export function folderOf(file: string): string | undefined {
  const [first, second, ...rest] = file.split('/');
  if (first !== 'src') return second === undefined ? undefined : first;
  return rest.length > 0 ? second : undefined;
}

/** Groups of files that import each other. */
export function importCycles(graph: ReadonlyMap<string, readonly string[]>): string[][] {
  const reached = new Map([...graph.keys()].map((file) => [file, reachableFrom(file, graph)]));
  const inCircle = [...graph.keys()].filter((file) => reached.get(file)!.has(file));
  const groups = Map.groupBy(inCircle, (file) =>
    inCircle.filter((other) => reached.get(file)!.has(other) && reached.get(other)!.has(file)).join(' '),
  );
  return [...groups.values()];
}

/** All direct and indirect imports; includes `start` only if it is part of a cycle. */
export function reachableFrom(start: string, graph: ReadonlyMap<string, readonly string[]>): Set<string> {
  const reached = new Set<string>(graph.get(start));
  for (const file of reached) for (const next of graph.get(file) ?? []) reached.add(next);
  return reached;
}

/** Number of branches in the code. */
export function branchesIn(text: string): number {
  const code = text
    .replaceAll(/\/\*[\s\S]*?\*\//g, '')
    .replaceAll(/^\s*\/\/.*$/gm, '')
    .replaceAll(/(['"])(?:\\.|(?!\1).)*\1/g, "''");
  return [...code.matchAll(/\bif \(|\bswitch \(|\bwhile \(|\? [^:?.]|\bcatch\b/g)].length;
}

/** What each folder may import: lines such as "- `cli` → `boot`, `vms/pools.ts`" below the heading. */
export function arrows(): Map<string, string[]> {
  const lines = listIn('The arrows').matchAll(/^- `([a-z-]+)` → ((?:.|\n {2})+)$/gm);
  return new Map([...lines].map((line) => [line[1]!, wordsIn(line[2]!)]));
}

/** The first word in backticks of each list item below a heading. */
export const namedBelow = (heading: string): string[] =>
  [...listIn(heading).matchAll(/^- `([^`]+)`/gm)].map((line) => line[1]!);

const wordsIn = (text: string) => [...text.matchAll(/`([^`]+)`/g)].map((word) => word[1]!);

function listIn(heading: string): string {
  const lines = readFileSync(join(root, 'ARCHITECTURE.md'), 'utf8').split('\n');
  const start = lines.findIndex((line) => line.startsWith('#') && line.includes(heading));
  if (start < 0) throw new Error(`ARCHITECTURE.md has no section "${heading}"`);
  const rest = lines.slice(start + 1);
  const end = rest.findIndex((line) => line.startsWith('#'));
  return rest.slice(0, end < 0 ? undefined : end).join('\n');
}
