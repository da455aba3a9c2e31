// vms/qemu/base/required-tools.ts: which programs do local pools need, and which of them are missing on this machine?
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { UserError } from '../../../base/errors.ts';

export interface Tool {
  program: string;
  /** Of Debian and Ubuntu. */
  package: string;
}

/** To run pools. */
export const POOL_TOOLS: readonly Tool[] = [
  { program: 'qemu-system-x86_64', package: 'qemu-system-x86' },
  { program: 'qemu-img', package: 'qemu-utils' },
  { program: 'genisoimage', package: 'genisoimage' },
  { program: 'ssh-keygen', package: 'openssh-client' },
  ...['flock', 'setpriv', 'fallocate'].map((program) => ({ program, package: 'util-linux' })),
];

/** To build a base image. */
export const BASE_TOOLS: readonly Tool[] = [
  { program: 'mmdebstrap', package: 'mmdebstrap' },
  { program: 'apt-get', package: 'apt' },
  { program: 'mke2fs', package: 'e2fsprogs' },
  { program: 'lz4', package: 'lz4' },
  { program: 'unshare', package: 'util-linux' },
];

/** For a user who is not root. */
export const USER_TOOLS: readonly Tool[] = [{ program: 'newuidmap', package: 'uidmap' }];

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

/** Throws one error that names all of them. */
export function requireTools(tools: readonly Tool[], path: string | undefined, isRoot: boolean): void {
  const missing = missingTools(tools, path);
  if (missing.length === 0) return;
  const named = missing.map(({ program }) => program).join(', ');
  throw new UserError(`${missing.length === 1 ? 'a program is' : 'programs are'} missing: ${named}`, {
    code: 'pool/missing-programs',
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
