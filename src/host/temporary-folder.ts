// host/temporary-folder.ts: makes a folder for temporary files, or says why it cannot.
import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { UserError } from '../base/errors.ts';
import { whyUnwritable } from '../base/why-unreadable.ts';

/** In `parent`, which is usually `tmpdir()`. */
export function makeTemporaryFolder(parent: string, prefix: string): string {
  try {
    return mkdtempSync(join(parent, prefix));
  } catch (cause) {
    throw new UserError(`cannot make a temporary folder in ${parent}: ${whyUnwritable(cause)}`, {
      code: 'cli/no-temporary-folder',
      kept: 'Nothing was started.',
      next: 'set TMPDIR to a folder that you can write to',
      exitCode: 1,
      cause,
    });
  }
}
