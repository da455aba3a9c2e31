// cli/confirm.ts: a destructive verb asks on a terminal, takes --yes, and refuses rather than guesses where there is nobody to ask.
import { readSync } from 'node:fs';
import { isatty } from 'node:tty';
import { UserError } from '../base/errors.ts';
import { printable } from './output/table.ts';
import type { CliDeps } from './verb.ts';

/** What stands in for the person in a test; undefined where there is none. */
export type Prompt = ((question: string) => string) | undefined;

/** Returns when the answer is yes. */
export function confirm(
  question: string,
  { yes }: { yes?: boolean | undefined },
  deps: Pick<CliDeps, 'stderr' | 'isTerminal'>,
  asking: Prompt = terminal(deps),
): void {
  if (yes) return;
  if (!asking) throw notConfirmed(`nobody can be asked: ${question}`, 'give --yes');
  const answer = asking(`${printable(question)} [y/N] `)
    .trim()
    .toLowerCase();
  if (answer !== 'y' && answer !== 'yes') throw notConfirmed('not confirmed', 'answer y, or give --yes');
}

function notConfirmed(message: string, next: string): UserError {
  return new UserError(message, { code: 'cli/not-confirmed', kept: 'Nothing was changed.', next });
}

function terminal({ stderr, isTerminal }: Pick<CliDeps, 'stderr' | 'isTerminal'>): Prompt {
  if (!isTerminal.stderr || !isatty(0)) return undefined;
  return (question) => {
    stderr(question);
    return readLine();
  };
}

function readLine(): string {
  const bytes: number[] = [];
  const byte = Buffer.alloc(1);
  while (bytes.length < 1000 && readSync(0, byte) === 1 && byte[0] !== 10) bytes.push(byte[0]!);
  return Buffer.from(bytes).toString();
}
