// cli/boot/read-budget.ts: reads the budget that --budget names.
import { readFileSync } from 'node:fs';
import { parseDocument } from 'yaml';
import { UserError } from '../../base/errors.ts';
import { whyUnreadable } from '../../base/why-unreadable.ts';
import { type Budget, parseBudget } from '../../boot/questions/budget.ts';

export function readBudget(path: string): Budget {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    throw new UserError(`cannot read the budget ${path}: ${whyUnreadable(error)}`, {
      code: 'boot/budget-unreadable',
      next: 'name an existing file with --budget',
      cause: error,
    });
  }
  const document = parseDocument(text);
  if (document.errors.length === 0) return parseBudget(plain(document), path);
  throw new UserError(`${path} is not YAML:\n${firstOf(document.errors).join('\n')}`, {
    code: 'boot/bad-budget',
    next: 'write for example `units: {cloud-init.service: 5s}`',
  });
}

const MOST_ERRORS = 3;
const MOST_CHARACTERS = 120;

/** A file that is not YAML may cause hundreds of errors, and each quotes a part of the file. */
function firstOf(errors: readonly Error[]): string[] {
  const lines = errors.slice(0, MOST_ERRORS).map(({ message }) => message.split('\n')[0]!.slice(0, MOST_CHARACTERS));
  const more = errors.length > MOST_ERRORS ? [`and ${errors.length - MOST_ERRORS} more`] : [];
  return [...lines, ...more].map((line) => `         ${line}`);
}

/** Unresolved or too many aliases are detected only here, and count as an invalid budget. */
function plain(document: ReturnType<typeof parseDocument>): unknown {
  try {
    return document.toJS();
  } catch {
    return undefined;
  }
}
