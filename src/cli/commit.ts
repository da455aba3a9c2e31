// cli/commit.ts: which commit is checked out? Reads git's files, so that git need not be installed.
import { dirname, join, resolve } from 'node:path';

/** Undefined: the file cannot be read. */
export type ReadText = (path: string) => string | undefined;

/** Undefined outside a checkout, and for an unknown format of references. */
export function commitOf(folder: string, read: ReadText): string | undefined {
  const gitFolder = gitFolderOf(join(folder, '.git'), read);
  const head = read(join(gitFolder, 'HEAD'))?.trim();
  const [, ref] = /^ref: (.+)$/.exec(head ?? '') ?? [];
  if (ref === undefined) return asHash(head);
  // A worktree has its own HEAD, but its branches are stored in the main checkout.
  const common = resolve(gitFolder, read(join(gitFolder, 'commondir'))?.trim() ?? '.');
  return asHash(
    read(join(gitFolder, ref)) ?? read(join(common, ref)) ?? packed(read(join(common, 'packed-refs')), ref),
  );
}

/** In a worktree and a submodule `.git` is a file with the path of the folder. */
function gitFolderOf(path: string, read: ReadText): string {
  const [, elsewhere] = /^gitdir: (.+)$/m.exec(read(path) ?? '') ?? [];
  return elsewhere === undefined ? path : resolve(dirname(path), elsewhere);
}

function packed(text: string | undefined, ref: string): string | undefined {
  return text
    ?.split('\n')
    .find((line) => line.endsWith(` ${ref}`))
    ?.split(' ')[0];
}

function asHash(text: string | undefined): string | undefined {
  const hash = text?.trim();
  return hash !== undefined && /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(hash) ? hash : undefined;
}
