// .ci/check-commits.ts: does every commit since BASE follow the rules? With a file: does the message in it? (a commit-msg hook)
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { brokenRules, type Commit } from './commit-rules.ts';

/** Commits up to this one are older than the rules. */
const BASE = 'f1820c463c446757b387151f0ee742592154da98';
/** Recorded or generated: their lines are not written by people. */
const NOT_COUNTED = [':!*/fixtures/*', ':!package-lock.json', ':!docs/verbs.md'];

const [messageFile] = process.argv.slice(2);
process.exitCode = messageFile === undefined ? checkHistory() : checkMessage(readFileSync(messageFile, 'utf8'));

function checkMessage(text: string): number {
  return report('this message', brokenRules({ message: text.replace(/^#.*\n?/gm, '') }));
}

function checkHistory(): number {
  if (!isKnown(BASE)) {
    process.stderr.write(
      `WARNING: commits are not checked: this clone does not contain ${BASE} (shallow, or no git)\n`,
    );
    return 0;
  }
  const ids = git('rev-list', '--no-merges', '--reverse', `${BASE}..HEAD`).split('\n').filter(Boolean);
  const failed = ids.map(commitOf).filter(({ id, commit }) => report(id, brokenRules(commit)) > 0);
  process.stdout.write(`${ids.length} commits checked\n`);
  if (failed.length > 0) process.stdout.write(`0 passed, ${failed.length} failed\n`);
  return failed.length > 0 ? 1 : 0;
}

function commitOf(hash: string): { id: string; commit: Commit } {
  const shown = git('show', '--format=%h %s%x00%B%x00', '--numstat', '-M', hash, '--', '.', ...NOT_COUNTED);
  const [id = '', message = '', numbers = ''] = shown.split('\0');
  const rows = numbers.split('\n');
  const totals = [0, 1].map((column) => rows.reduce((sum, row) => sum + (Number(row.split('\t')[column]) || 0), 0));
  return { id, commit: { message, changedLines: Math.max(...totals) } };
}

function report(commit: string, broken: string[]): number {
  for (const rule of broken) process.stderr.write(`${commit}\n    ${rule}\n`);
  return broken.length > 0 ? 1 : 0;
}

function isKnown(id: string): boolean {
  try {
    git('merge-base', '--is-ancestor', id, 'HEAD');
    return true;
  } catch {
    return false;
  }
}

function git(...args: string[]): string {
  return execFileSync('git', args, { encoding: 'utf8', maxBuffer: 1 << 28, stdio: ['ignore', 'pipe', 'ignore'] });
}
