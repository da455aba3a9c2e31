// docs.testing.ts: what in the Markdown files can a test check? Commands with their output, links, headings.
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';
import { run } from './cli/testing.ts';

export const ROOT = fileURLToPath(new URL('..', import.meta.url));

export interface Example {
  command: string;
  output: string;
  /** From a following `$ echo $?`; default 0. */
  code: number;
}

/** All `./headstart` commands in `console` blocks. */
export function examplesIn(markdown: string): Example[] {
  const examples: Example[] = [];
  for (const [, block] of markdown.matchAll(/^```console\n([\s\S]*?)^```$/gm)) {
    for (const [, command, output] of block!.matchAll(/^\$ (.*)\n((?:(?!\$ ).*\n)*)/gm)) {
      const previous = examples.at(-1);
      if (command!.startsWith('./headstart '))
        examples.push({ command: command!.slice('./headstart '.length), output: output!, code: 0 });
      else if (command === 'echo $?' && previous) previous.code = Number(output);
    }
  }
  return examples;
}

/** A temporary folder for files that the commands of one page write. Commands read repository paths in place. */
export class ExampleFolder {
  readonly folder = mkdtempSync(join(tmpdir(), 'headstart-docs-'));

  /** Returns standard output with paths as on the page. */
  async run(command: string): Promise<{ code: number; stdout: string }> {
    const words = [...command.matchAll(/'([^']*)'|(\S+)/g)].map((word) => word[1] ?? word[2]!);
    const { code, stdout } = await run(words.map((word) => this.#pathOf(word)));
    return { code, stdout: stdout.replaceAll(`${this.folder}/`, '').replaceAll(ROOT, '') };
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }

  #pathOf(word: string): string {
    if (/^(src|examples|docs)\//.test(word)) return join(ROOT, word);
    return /^[\w-]+\.(html|json|yaml|csv|gz)$/.test(word) ? join(this.folder, word) : word;
  }
}

export async function expectExample(exampleFolder: ExampleFolder, { command, output, code }: Example): Promise<void> {
  const ran = await exampleFolder.run(command);
  expect(ran.code).toBe(code);
  if (!isOutput(output, ran.stdout)) expect(ran.stdout).toBe(output);
}

/** A line with only `…` matches any lines. */
function isOutput(shown: string, printed: string): boolean {
  const pattern = shown
    .split('\n')
    .map((line) => (line === '…' ? '(?:.*\\n)*?' : `${line.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')}\\n`))
    .join('')
    .replace(/\\n$/, '');
  return new RegExp(`^${pattern}$`).test(printed);
}

/** Relative to the repository. */
export function markdownFiles(folder = ROOT): string[] {
  return readdirSync(folder, { withFileTypes: true })
    .filter(({ name }) => !name.startsWith('.') && !['node_modules', 'out', 'images'].includes(name))
    .flatMap((entry) => {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) return markdownFiles(path);
      return entry.name.endsWith('.md') ? [relative(ROOT, path)] : [];
    })
    .sort();
}

export function readPage(path: string): string {
  return readFileSync(join(ROOT, path), 'utf8');
}

/** Link targets of a page relative to the repository, without links to other sites. */
export function linksIn(path: string): { target: string; anchor?: string }[] {
  const text = withoutCode(readPage(path));
  return [...text.matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, link]) => link!)
    .filter((link) => !/^[a-z]+:/.test(link))
    .map((link) => {
      const [file = '', anchor] = link.split('#');
      return { target: file === '' ? path : join(dirname(path), file), ...(anchor !== undefined && { anchor }) };
    });
}

export function linkExists({ target, anchor }: { target: string; anchor?: string }): boolean {
  if (!existsSync(join(ROOT, target))) return false;
  return anchor === undefined || (target.endsWith('.md') && anchorsIn(target).has(anchor));
}

/** Like GitHub: headings in lower case, spaces as dashes, only letters, digits, dashes and underscores. */
function anchorsIn(path: string): Set<string> {
  const anchors = new Set<string>();
  for (const [, heading] of withoutCode(readPage(path), false).matchAll(/^#+ (.+)$/gm)) {
    const plain = heading!.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1').toLowerCase();
    const slug = plain.replace(/[^\p{L}\p{N}\s_-]/gu, '').replace(/\s/g, '-');
    let unique = slug;
    for (let count = 1; anchors.has(unique); count++) unique = `${slug}-${count}`;
    anchors.add(unique);
  }
  return anchors;
}

/** Lines longer than `columns`, except tables, code blocks and lines with a link. */
export function longLines(path: string, columns: number): string[] {
  return readPage(path)
    .replace(/^```[\s\S]*?^```$/gm, '')
    .split('\n')
    .filter((line) => [...line].length > columns && !line.startsWith('|') && !/\]\([^)]+\)/.test(line));
}

function withoutCode(markdown: string, isInlineToo = true): string {
  const text = markdown.replace(/^ *```[\s\S]*?^ *```$/gm, '');
  return isInlineToo ? text.replace(/`[^`\n]*`/g, '') : text;
}
