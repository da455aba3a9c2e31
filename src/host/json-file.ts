// host/json-file.ts: read and replace a record of ours. What is on disk is parsed once, here, and trusted afterwards.
import { readFileSync } from 'node:fs';
import type { z } from 'zod';
import { UserError } from '../base/errors.ts';
import { writeFileAtomic } from '../base/files.ts';
import { whyUnreadable } from '../base/why-unreadable.ts';

/** The caller's code and next step for a record that is not what this program wrote. */
export interface BadRecord {
  code: string;
  next: string;
}

/** Undefined when there is no such file. */
export function readJsonFile<T>(path: string, schema: z.ZodType<T>, bad: BadRecord): T | undefined {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw new UserError(`cannot read ${path}: ${whyUnreadable(error)}`, { ...bad, exitCode: 1, cause: error });
  }
  const parsed = schema.safeParse(parse(text));
  if (parsed.success) return parsed.data;
  const problems = parsed.error.issues.map(
    ({ path: where, message }) => `${where.join('.') || 'all of it'}: ${message}`,
  );
  throw new UserError(`${path} is not what this program writes there (${problems.join('; ')})`, {
    ...bad,
    exitCode: 1,
  });
}

/** Closed to others: it may hold secrets. What a full disk (`isFull`) means is for the caller to say. */
export function writeJsonFile(path: string, value: unknown): void {
  writeFileAtomic(path, `${JSON.stringify(value, null, 2)}\n`, 0o600);
}

export function isMissing(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException;
  return code === 'ENOENT' || code === 'ENOTDIR';
}

export function isFull(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException;
  return code === 'ENOSPC' || code === 'EDQUOT';
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
