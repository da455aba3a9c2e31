// The folders are the architecture: every import is an arrow, and an arrow that ARCHITECTURE.md does not list fails here.
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('..', import.meta.url));
const sources = readdirSync(join(root, 'src'), { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile() && entry.name.endsWith('.ts') && !entry.parentPath.includes('fixtures'))
  .map((entry) => join(entry.parentPath, entry.name));
const production = sources.filter((file) => !file.endsWith('.test.ts') && !file.endsWith('testing.ts'));

describe('the arrows between folders', () => {
  const allowed = listedArrows();

  it('are written down in ARCHITECTURE.md', () => {
    expect(allowed.size).toBeGreaterThan(0);
  });

  it.each(production.map((file) => relative(root, file)))('%s imports only where an arrow leads', (file) => {
    const from = folderOf(file);
    for (const target of importsOf(join(root, file)).filter((specifier) => specifier.startsWith('.'))) {
      const to = folderOf(relative(root, join(dirname(join(root, file)), target)));
      if (to !== from && to !== '.') expect(allowed.get(from) ?? [], `${file} → ${target}`).toContain(to);
    }
  });
});

describe('the inside of boot/', () => {
  const effects = [
    'node:fs',
    'node:child_process',
    'node:net',
    'node:http',
    'node:https',
    'node:os',
    'node:process',
    'node:dns',
  ];
  const edges = filesNamedIn('Files in `boot/` that touch the world');
  const pure = production
    .map((file) => relative(root, file))
    .filter((file) => file.startsWith('src/boot/') && !edges.includes(file.replace('src/boot/', '')));

  it.each(pure)('%s decides without touching a file, a process, the clock or the network', (file) => {
    const text = readFileSync(join(root, file), 'utf8');
    for (const specifier of importsOf(join(root, file))) expect(effects).not.toContain(specifier);
    expect(text).not.toMatch(/\bDate\.now\(|\bnew Date\(\)|\bprocess\.(env|argv|cwd)\b|\bfetch\(|\bMath\.random\(/);
  });

  it('names only files that exist as touching the world', () => {
    const existing = production.map((file) => relative(join(root, 'src/boot'), file));
    for (const file of edges) expect(existing).toContain(file);
  });
});

describe('code that runs on a node', () => {
  it.each(
    production
      .map((file) => relative(root, file))
      .filter((f) => f.startsWith('src/boot/') || f.startsWith('src/node/')),
  )('%s imports no cloud SDK and no Kubernetes client', (file) => {
    for (const specifier of importsOf(join(root, file))) expect(specifier).not.toMatch(/^@(azure|kubernetes)\//);
  });
});

describe('what is installed with `npm ci --omit=dev`', () => {
  const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    dependencies: Record<string, string>;
  };
  const entries = ['src/cli/bin.ts', 'demo/run.ts', 'demo/ensure-tools.ts'];

  it.each(entries)('is enough for %s', (entry) => {
    const packages = packagesReachedFrom(join(root, entry));
    expect([...packages.keys()].filter((name) => !(name in manifest.dependencies))).toEqual([]);
  });

  // The Makefile installs the development tools for the targets that run these.
  it.each(['src/node/build/build.ts', 'src/container/build.ts', 'demo/kubernetes/run.ts', 'bench/run.ts'])(
    'lacks only rolldown for %s',
    (entry) => {
      const packages = packagesReachedFrom(join(root, entry));
      expect([...packages.keys()].filter((name) => !(name in manifest.dependencies))).toEqual(['rolldown']);
    },
  );
});

/** Packages that the file or a file it imports (also later, also as a program of its own) loads → which file does. */
function packagesReachedFrom(entry: string): Map<string, string> {
  const packages = new Map<string, string>();
  const files = new Set([entry]);
  for (const file of files) {
    const text = readFileSync(file, 'utf8').replaceAll(/^(?:import|export) type\s[^;]*;/gm, '');
    const named = [...text.matchAll(/\bnew URL\('(\.[^']+\.ts)', import\.meta\.url\)/g)].map((match) => match[1]!);
    for (const target of [...importsIn(text), ...named]) {
      if (target.startsWith('.')) {
        if (target.endsWith('.ts')) files.add(join(dirname(file), target));
      } else if (!target.startsWith('node:')) {
        packages.set(target.match(/^(?:@[^/]+\/)?[^/]+/)![0], relative(root, file));
      }
    }
  }
  return packages;
}

function importsOf(file: string): string[] {
  return importsIn(readFileSync(file, 'utf8'));
}

function importsIn(text: string): string[] {
  return [
    ...text.matchAll(
      /(?:^|\n)\s*(?:import|export)\s[^'"]*?from\s+'([^']+)'|\bimport\('([^']+)'\)|^import\s+'([^']+)'/g,
    ),
  ].map((match) => (match[1] ?? match[2] ?? match[3])!);
}

/** `src/boot/load/sources/x.ts` → `boot`; a file directly in src, or in the tree itself (package.json) → `.`. */
function folderOf(file: string): string {
  const parts = file.split('/');
  if (parts[0] !== 'src') return parts.length > 1 ? parts[0]! : '.';
  return parts.length > 2 ? parts[1]! : '.';
}

/** Lines such as "- `cli` → `boot`, `base`" below the heading "The arrows". */
function listedArrows(): Map<string, string[]> {
  const section = sectionOf('The arrows');
  return new Map(
    [...section.matchAll(/^- `([a-z-]+)` → (.+)$/gm)].map((line) => [
      line[1]!,
      [...line[2]!.matchAll(/`([a-z-]+)`/g)].map((word) => word[1]!),
    ]),
  );
}

function filesNamedIn(heading: string): string[] {
  return [...sectionOf(heading).matchAll(/^- `([^`]+\.ts)`/gm)].map((line) => line[1]!);
}

function sectionOf(heading: string): string {
  const text = readFileSync(join(root, 'ARCHITECTURE.md'), 'utf8');
  const start = text.split('\n').findIndex((line) => line.startsWith('#') && line.includes(heading));
  expect(start, `ARCHITECTURE.md has a section "${heading}"`).toBeGreaterThanOrEqual(0);
  const lines = text.split('\n').slice(start + 1);
  const end = lines.findIndex((line) => line.startsWith('#'));
  return lines.slice(0, end < 0 ? undefined : end).join('\n');
}
