// cli/output/answer-file.ts: the file that -o names: whole or untouched, and a device stays a device.
import { realpathSync, statSync, writeFileSync } from 'node:fs';
import { UserError } from '../../base/errors.ts';
import { writeFileAtomic } from '../../base/files.ts';
import { whyUnwritable } from '../../base/why-unreadable.ts';

/** `code`: of the error when it cannot be written, in the area of the verb. `private`: for the owner's eyes only, whoever made the file. Others get what the umask allows, or keep what they had. */
export function writeAnswerFile(
  path: string,
  content: string | Uint8Array,
  code: `${string}/${string}`,
  access: 'umask' | 'private' = 'umask',
): void {
  try {
    const stat = statSync(path, { throwIfNoEntry: false });
    if (stat && (!stat.isFile() || isStream(path))) {
      writeFileSync(path, content);
      return;
    }
    const mode = access === 'private' ? 0o600 : stat ? stat.mode & 0o777 : 0o666 & ~process.umask();
    writeFileAtomic(stat ? realpathSync(path) : path, content, mode);
  } catch (error) {
    throw cannotWrite(path, code, error);
  }
}

/** /dev/stdout may lead to a file that somebody else is appending to. */
function isStream(path: string): boolean {
  return /^\/(?:dev|proc)\//.test(path);
}

export function cannotWrite(path: string, code: string, cause: unknown): UserError {
  return new UserError(`cannot write ${path}: ${whyUnwritable(cause)}`, {
    code,
    kept: 'Nothing was written.',
    next: 'name a file in a folder you may write to with -o FILE',
    exitCode: 1,
    cause,
  });
}
