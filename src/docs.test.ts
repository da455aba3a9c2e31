// Are the documents correct? Commands print what a page shows, links work, and lists are complete.
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import {
  ExampleFolder,
  examplesIn,
  expectExample,
  linkExists,
  linksIn,
  longLines,
  markdownFiles,
  ROOT,
  readPage,
} from './docs.testing.ts';

const pages = markdownFiles();
const INDEX = 'docs/index.md';

describe('the documents', () => {
  it('link to files and headings that exist', () => {
    const broken = pages.flatMap((page) =>
      linksIn(page)
        .filter((link) => !linkExists(link))
        .map(({ target, anchor }) => `${page}: ${target}${anchor === undefined ? '' : `#${anchor}`}`),
    );
    expect(broken).toEqual([]);
  });

  it('are all linked from the index', () => {
    const linked = new Set([INDEX, 'docs/adr/README.md'].flatMap(linksIn).map(({ target }) => target));
    const missing = pages.filter((page) => page.startsWith('docs/') && page !== INDEX && !linked.has(page));
    expect(missing).toEqual([]);
  });

  it.each(pages)('%s is wrapped at 120 columns', (page) => {
    expect(longLines(page, 120)).toEqual([]);
  });
});

describe('the READMEs of folders', () => {
  const readmes = pages.filter((page) => page.endsWith('/README.md') && !page.includes('/fixtures/'));
  it.each(readmes)('%s names files that exist', (page) => {
    const folder = dirname(page);
    const below = readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' });
    const named = [...readPage(page).matchAll(/`([\w./-]+\.(?:ts|sh|mod|tpl|yaml))`/g)].map(([, name]) => name!);
    const isFound = (name: string) =>
      linkExists({ target: name }) ||
      linkExists({ target: join(folder, name) }) ||
      below.some((path) => path.endsWith(`/${name}`));
    expect(named.filter((name) => !isFound(name))).toEqual([]);
  });
});

const guides = pages.filter((page) => page.startsWith('docs/guides/') || page === 'docs/concepts.md');

describe.each(guides)('%s', (guide) => {
  const text = readPage(guide);
  const exampleFolder = new ExampleFolder();
  afterAll(() => exampleFolder.remove());

  if (guide.startsWith('docs/guides/'))
    it('is under 100 lines', () => {
      expect(text.split('\n').length).toBeLessThanOrEqual(100);
    });

  const examples = examplesIn(text);
  if (examples.length > 0)
    it.each(examples)('$ ./headstart $command', (example) => expectExample(exampleFolder, example));
});

describe('the comparison with kamino', () => {
  const section = readPage('docs/prototype.md')
    .split(/^## /m)
    .find((part) => part.startsWith('Compared with kamino'));
  const rows = (section?.match(/^\| .*\|$/gm) ?? []).filter((row) => !/^\| ---|\| why it differs \|/.test(row));
  const testsIn = (row: string) =>
    [...row.matchAll(/`([\w./-]+\.(?:test|suite)\.ts)` › ([^;|]+)/g)].map(([, file, name]) => [file!, name!.trim()]);

  it.each(rows.flatMap(testsIn))('names a test of %s that exists: %s', (file, name) => {
    expect(readFileSync(join(ROOT, file!), 'utf8').replaceAll("\\'", "'")).toContain(name);
  });

  it('has a test in every row, except of what neither of the two does', () => {
    expect(rows.length).toBeGreaterThan(30);
    const untested = rows.filter((row) => testsIn(row).length === 0);
    expect(untested).toEqual([expect.stringContaining('| not done: ')]);
  });
});

describe('the list of environment variables', () => {
  const namesIn = (text: string) => [...new Set(text.match(/\bHEADSTART_[A-Z][A-Z_]*\b/g) ?? [])].sort();

  it('has exactly the HEADSTART_ variables that the source uses', () => {
    const source = sourceFiles().map((file) => readFileSync(file, 'utf8'));
    const rows = readPage('docs/environment.md').match(/^\|.*$/gm) ?? [];
    expect(namesIn(rows.join('\n'))).toEqual(namesIn(source.join('\n')));
  });
});

/** All files except documents, tests and fixtures: variables that only tests use need no documentation. */
function sourceFiles(): string[] {
  const folders = ['src', 'sims', 'e2e', 'bench', 'demo', 'charts', 'tools', '.ci'].map((name) => join(ROOT, name));
  const below = folders.flatMap((folder) =>
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && /\.(ts|sh|tpl|yaml)$|^[^.]+$/.test(entry.name))
      .map((entry) => join(entry.parentPath, entry.name))
      .filter((path) => !path.includes('/fixtures/') && !path.endsWith('.test.ts')),
  );
  return [...below, join(ROOT, 'Makefile'), join(ROOT, 'headstart')];
}
