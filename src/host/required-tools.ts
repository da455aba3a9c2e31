// host/required-tools.ts: which programs do local pools need, and which of them are missing on this machine?
import { accessSync, constants } from 'node:fs';
import { basename, delimiter, join } from 'node:path';
import { UserError } from '../base/errors.ts';

export interface Tool {
  program: string;
  /** Of Debian and Ubuntu. */
  package: string;
}

/** Every program that pools and images are made with, below the package of Debian and Ubuntu that has it. */
const PACKAGES: Readonly<Record<string, readonly string[]>> = {
  apt: ['apt-get', 'apt-cache', 'apt-config'],
  coreutils: ['cat', 'chmod', 'cp', 'env', 'mkdir', 'mv', 'rm', 'touch', 'true'],
  dpkg: ['dpkg', 'dpkg-deb'],
  e2fsprogs: ['mke2fs', 'debugfs', 'dumpe2fs', 'e2fsck', 'resize2fs', 'tune2fs'],
  findutils: ['find'],
  genisoimage: ['genisoimage'],
  lz4: ['lz4'],
  mmdebstrap: ['mmdebstrap'],
  mount: ['mount', 'umount'],
  'openssh-client': ['ssh', 'ssh-keygen'],
  'qemu-system-x86': ['qemu-system-x86_64'],
  'qemu-utils': ['qemu-img'],
  tar: ['tar'],
  uidmap: ['newuidmap', 'newgidmap'],
  'util-linux': ['flock', 'setpriv', 'fallocate', 'unshare', 'nsenter'],
};

/** The package to install for a program; undefined: none of those. */
export function packageOf(program: string): string | undefined {
  const name = basename(program);
  return Object.keys(PACKAGES).find((each) => PACKAGES[each]!.includes(name));
}

/** Throws for a program that is in no package of the table: a mistake of ours. */
export function toolsOf(...programs: string[]): Tool[] {
  return programs.map((program) => {
    const from = packageOf(program);
    if (from === undefined) throw new Error(`no package is known for ${program}`);
    return { program, package: from };
  });
}

/** To run pools. */
export const POOL_TOOLS: readonly Tool[] = toolsOf(
  ...['qemu-system-x86_64', 'qemu-img', 'genisoimage', 'ssh-keygen'],
  ...['flock', 'setpriv', 'fallocate'],
);

/** To build a base image. */
export const BASE_TOOLS: readonly Tool[] = toolsOf('mmdebstrap', 'apt-get', 'mke2fs', 'lz4', 'unshare');

/** For a user who is not root. */
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
