// host/required-tools.ts: which Debian package contains each program we run, and which programs are missing?
import { accessSync, constants } from 'node:fs';
import { basename, delimiter, join } from 'node:path';
import { UserError } from '../base/errors.ts';
import { installCommand } from './install-command.ts';

/** Debian and Ubuntu packages. `ToolArgv` admits only these programs. */
const PACKAGE_OF = {
  'apt-config': 'apt',
  'apt-get': 'apt',
  cat: 'coreutils',
  containerd: 'containerd',
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
  journalctl: 'systemd',
  lz4: 'lz4',
  mke2fs: 'e2fsprogs',
  mmdebstrap: 'mmdebstrap',
  newuidmap: 'uidmap',
  'qemu-img': 'qemu-utils',
  'qemu-system-x86_64': 'qemu-system-x86',
  rm: 'coreutils',
  setpriv: 'util-linux',
  sh: 'dash',
  ssh: 'openssh-client',
  'ssh-keygen': 'openssh-client',
  systemctl: 'systemd',
  tar: 'tar',
  touch: 'coreutils',
  true: 'coreutils',
  tune2fs: 'e2fsprogs',
  unshare: 'util-linux',
  xz: 'xz-utils',
} as const satisfies Readonly<Record<string, string>>;

export type ToolName = keyof typeof PACKAGE_OF;
export type ToolArgv = readonly [ToolName, ...string[]];

export interface Tool {
  program: string;
  /** The Debian and Ubuntu package. */
  package: string;
}

/** `program` is a name or a path. */
export function packageOf(program: string): string | undefined {
  const packages: Readonly<Record<string, string>> = PACKAGE_OF;
  const name = basename(program);
  return Object.hasOwn(packages, name) ? packages[name] : undefined;
}

export const toolsOf = (...programs: ToolName[]): Tool[] =>
  programs.map((program) => ({ program, package: PACKAGE_OF[program] }));

/** Needed by users other than root, to map users in a namespace. */
export const USER_TOOLS: readonly Tool[] = toolsOf('newuidmap');

/** A user's PATH often lacks the sbin folders. */
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

/** Of no package that we know: a program of the user's choice. */
export function isOnPath(program: string, path: string | undefined): boolean {
  return missingTools([{ program, package: '' }], path).length === 0;
}

/** Throws one error that lists all missing programs. */
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
    next: `${isRoot ? '' : 'sudo '}${installCommand(missing.map((tool) => tool.package)).join(' ')}`,
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
