// cli/output/answer-file.ts: the file that -o names: whole or untouched, and a device stays a device.
import { realpathSync, statSync, writeFileSync } from 'node:fs';
import { UserError } from '../../base/errors.ts';
import { writeFileAtomic } from '../../base/files.ts';

/** `private`: for the owner's eyes only, whoever made the file. Others get what the umask allows, or keep what they had. */
export function writeAnswerFile(
  path: string,
  content: string | Uint8Array,
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
    throw cannotWrite(path, error);
  }
}

/** /dev/stdout may lead to a file that somebody else is appending to. */
function isStream(path: string): boolean {
  return /^\/(?:dev|proc)\//.test(path);
}

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'its folder does not exist',
  ENOTDIR: 'its folder is a file',
  EISDIR: 'it is a folder',
  EACCES: 'permission denied',
  EROFS: 'the file system is read-only',
  ENOSPC: 'the disk is full',
};

export function cannotWrite(path: string, cause: unknown): UserError {
  const { code, message } = cause as NodeJS.ErrnoException;
  return new UserError(`cannot write ${path}: ${REASONS[code ?? ''] ?? message}`, {
    code: 'boot/output-unwritable',
    kept: 'Nothing was written.',
    next: 'name a file in a folder you may write to with -o FILE',
    exitCode: 1,
    cause,
  });
}
