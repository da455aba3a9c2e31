// cli/prototype/custom-data.ts: reads the file that --custom-data names.
import { readFileSync } from 'node:fs';
import { UserError } from '../../base/errors.ts';

/** Returns base64. */
export function readCustomData(path: string): string {
  try {
    return readFileSync(path).toString('base64');
  } catch (error) {
    throw new UserError(`cannot read ${path}: ${(error as NodeJS.ErrnoException).code}`, {
      code: 'prototype/custom-data',
      next: 'name an existing file with --custom-data',
      cause: error,
    });
  }
}
