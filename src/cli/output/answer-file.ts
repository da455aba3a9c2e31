// cli/output/answer-file.ts: writes the file that -o names: completely or not at all. Devices stay devices.
import { realpathSync, statSync, writeFileSync } from 'node:fs';
import { UserError } from '../../base/errors.ts';
import { writeFileAtomic } from '../../base/files.ts';
import { whyUnwritable } from '../../base/why-unreadable.ts';

/** `code`: of the error if the file cannot be written. `private`: mode 0600, even if the file exists; otherwise an existing file keeps its mode. */
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

/** /dev/stdout may be a file that another process appends to. */
function isStream(path: string): boolean {
  return /^\/(?:dev|proc)\//.test(path);
}

export function cannotWrite(path: string, code: string, cause: unknown): UserError {
  return new UserError(`cannot write ${path}: ${whyUnwritable(cause)}`, {
    code,
    kept: 'Nothing was written.',
    next: 'name a file in a writable folder with -o FILE',
    exitCode: 1,
    cause,
  });
}
