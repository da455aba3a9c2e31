// e2e/labs/other-tree.ts: a copy of the sources elsewhere, with other modes and times, to build the same bytes from.
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';

const PARTS = [
  'src',
  'sims',
  'tools',
  'charts',
  'package.json',
  'package-lock.json',
  'tsconfig.json',
  'LICENSE',
  'CHANGELOG.md',
];

/** A process with another clock. */
export const YEARS_LATER = `data:text/javascript,${encodeURIComponent(`
  const { now } = Date;
  globalThis.Date = class extends Date {
    constructor(...given) { given.length > 0 ? super(...given) : super(now() + 1e11); }
    static now() { return now() + 1e11; }
  };`)}`;

export function copyTree(from: string, to: string): void {
  mkdirSync(to, { recursive: true });
  const isShipped = (path: string) => !/\/fixtures($|\/)|\.test\.ts$/.test(path);
  for (const part of PARTS) cpSync(join(from, part), join(to, part), { recursive: true, filter: isShipped });
  // Hard links, if possible, because the packages are large.
  const packages = join(from, 'node_modules');
  if (!runs('cp', ['--archive', '--link', packages, to]) && !runs('cp', ['--archive', packages, to])) {
    throw new Error(`cannot copy ${packages} to ${to}`);
  }
  if (!runs('chmod', ['-R', 'go-rwx', join(to, 'src'), join(to, 'sims'), join(to, 'tools')]))
    throw new Error('no chmod');
  if (!runs('find', [join(to, 'src'), '-exec', 'touch', '-d', '2001-02-03', '{}', '+'])) throw new Error('no touch');
}

function runs(program: string, args: string[]): boolean {
  return spawnSync(program, args).status === 0;
}
