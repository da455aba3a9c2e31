// cli/prototype/custom-data.ts: what is in the file that --custom-data names?
import { readFileSync } from 'node:fs';
import { UserError } from '../../base/errors.ts';

/** base64 */
export function readCustomData(path: string): string {
  try {
    return readFileSync(path).toString('base64');
  } catch (error) {
    throw new UserError(`cannot read ${path}: ${(error as NodeJS.ErrnoException).code}`, {
      code: 'prototype/custom-data',
      next: 'give an existing file with --custom-data',
      cause: error,
    });
  }
}
