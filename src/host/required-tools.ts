// host/required-tools.ts: in which package is each program that the product runs, and which of them are missing on this machine?
import { accessSync, constants } from 'node:fs';
import { basename, delimiter, join } from 'node:path';
import { UserError } from '../base/errors.ts';

/** The package of Debian and Ubuntu that has it. What is run through `run-tool.ts` has to be here, or it does not compile. */
const PACKAGE_OF = {
  'apt-config': 'apt',
  'apt-get': 'apt',
  cat: 'coreutils',
  cp: 'coreutils',
  debugfs: 'e2fsprogs',
  'dpkg-deb': 'dpkg',
  dumpe2fs: 'e2fsprogs',
  e2fsck: 'e2fsprogs',
  env: 'coreutils',
  fallocate: 'util-linux',
  find: 'findutils',
  flock: 'util-linux',
  genisoimage: 'genisoimage',
  go: 'golang-go',
  lz4: 'lz4',
  mke2fs: 'e2fsprogs',
  mmdebstrap: 'mmdebstrap',
  newuidmap: 'uidmap',
  'qemu-img': 'qemu-utils',
  'qemu-system-x86_64': 'qemu-system-x86',
  rm: 'coreutils',
  setpriv: 'util-linux',
  sh: 'dash',
  'ssh-keygen': 'openssh-client',
  tar: 'tar',
  touch: 'coreutils',
  true: 'coreutils',
  tune2fs: 'e2fsprogs',
  unshare: 'util-linux',
} as const satisfies Readonly<Record<string, string>>;

export type ToolName = keyof typeof PACKAGE_OF;
export type ToolArgv = readonly [ToolName, ...string[]];

export interface Tool {
  program: string;
  /** Of Debian and Ubuntu. */
  package: string;
}

/** Of a program by its name or its path; undefined: none of those. */
export function packageOf(program: string): string | undefined {
  const packages: Readonly<Record<string, string>> = PACKAGE_OF;
  const name = basename(program);
  return Object.hasOwn(packages, name) ? packages[name] : undefined;
}

export const toolsOf = (...programs: ToolName[]): Tool[] =>
  programs.map((program) => ({ program, package: PACKAGE_OF[program] }));

/** For a user who is not root: who may be which user in a namespace of theirs. */
export const USER_TOOLS: readonly Tool[] = toolsOf('newuidmap');

/** A user's PATH often lacks the folders of programs that are thought of as root's. */
export function toolPath(path: string | undefined): string {
  return [...(path ? [path] : []), '/usr/local/sbin', '/usr/sbin', '/sbin', '/usr/bin', '/bin'].join(delimiter);
}

export function missingTools(
  tools: readonly Tool[],
  path: string | undefined,
  isProgram: (file: string) => boolean = isExecutable,
): Tool[] {
  const folders = toolPath(path).split(delimiter).filter(Boolean);
  return tools.filter(({ program }) => !folders.some((folder) => isProgram(join(folder, program))));
}

/** The one command that installs them all. */
export function installCommand(missing: readonly Tool[]): [string, ...string[]] {
  const packages = [...new Set(missing.map((tool) => tool.package))].sort();
  return ['apt-get', 'install', '--yes', '--no-install-recommends', ...packages];
}

/** Throws one error that names all of them, with the code of the caller. */
export function requireTools(
  tools: readonly Tool[],
  { path, isRoot, code }: { path: string | undefined; isRoot: boolean; code: string },
): void {
  const missing = missingTools(tools, path);
  if (missing.length === 0) return;
  const named = missing.map(({ program }) => program).join(', ');
  throw new UserError(`${missing.length === 1 ? 'a program is' : 'programs are'} missing: ${named}`, {
    code,
    kept: 'Nothing was changed.',
    next: `${isRoot ? '' : 'sudo '}${installCommand(missing).join(' ')}`,
  });
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
