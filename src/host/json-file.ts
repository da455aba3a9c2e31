// host/json-file.ts: read and replace a JSON record. It is validated here, once, and trusted afterwards.
import { readFileSync } from 'node:fs';
import type { z } from 'zod';
import { UserError } from '../base/errors.ts';
import { writeFileAtomic } from '../base/files.ts';
import { whyUnreadable } from '../base/why-unreadable.ts';

/** The caller's error code and next step for an invalid record. */
export interface BadRecord {
  code: string;
  next: string;
}

/** Undefined when the file does not exist. */
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
    ({ path: where, message }) => `${where.join('.') || 'top level'}: ${message}`,
  );
  throw new UserError(`${path} is not a valid record (${problems.join('; ')})`, {
    ...bad,
    exitCode: 1,
  });
}

/** Mode 0600: the record may hold secrets. The caller handles a full disk (`isFull`). */
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
