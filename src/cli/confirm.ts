// cli/confirm.ts: how does a destructive verb ask for confirmation? On a terminal, unless --yes is given; without either it refuses.
import { readSync } from 'node:fs';
import { isatty } from 'node:tty';
import { UserError } from '../base/errors.ts';
import { printable } from './output/table.ts';
import type { CliDeps } from './verb.ts';

/** Prints a question and returns the answer; undefined without a terminal. */
export type Prompt = ((question: string) => string) | undefined;

/** Throws unless the answer is yes. */
export function confirm(
  question: string,
  { yes }: { yes?: boolean | undefined },
  deps: Pick<CliDeps, 'stderr' | 'isTerminal'>,
  prompt: Prompt = terminal(deps),
): void {
  if (yes) return;
  if (!prompt) throw notConfirmed(`cannot ask for confirmation without a terminal: ${question}`, 'add --yes');
  const answer = prompt(`${printable(question)} [y/N] `)
    .trim()
    .toLowerCase();
  if (answer !== 'y' && answer !== 'yes') throw notConfirmed('not confirmed', 'answer y, or add --yes');
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
