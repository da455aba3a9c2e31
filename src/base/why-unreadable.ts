// base/why-unreadable.ts: why could a file not be read or written? Explains error codes in words.

const READING: Readonly<Record<string, string>> = {
  ENOENT: 'it does not exist',
  ENOTDIR: 'a part of its path is a file, not a folder',
  EISDIR: 'it is a folder',
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  ELOOP: 'its symbolic links form a loop',
  ENAMETOOLONG: 'its name is too long',
};

const WRITING: Readonly<Record<string, string>> = {
  ...READING,
  ENOENT: 'its folder does not exist',
  ENOTDIR: 'its folder is a file',
  EEXIST: 'there is a file of that name',
  EROFS: 'the file system is read-only',
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk quota is exceeded',
};

export const whyUnreadable = (error: unknown): string => inWords(READING, error);
export const whyUnwritable = (error: unknown): string => inWords(WRITING, error);

function inWords(words: Readonly<Record<string, string>>, error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  return words[code ?? ''] ?? code ?? message;
}
