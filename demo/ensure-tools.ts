// demo/ensure-tools.ts: `node demo/ensure-tools.ts GROUP…`: are the programs of these groups installed? As root it installs missing ones with
// Debian's package manager; otherwise it names them.
import { spawnSync } from 'node:child_process';
import { systemClock } from '../src/base/clock.ts';
import { exitCodeOf, Interrupted, renderError, UserError } from '../src/base/errors.ts';
import { missingTools, requireTools, type Tool, toolsOf, USER_TOOLS } from '../src/host/required-tools.ts';
import { IMAGE_TOOLS } from '../src/image/build/required-tools.ts';
import { findFirmware } from '../src/vms/qemu/machine/firmware.ts';
import { BASE_TOOLS, POOL_TOOLS } from '../src/vms/qemu/required-tools.ts';
import { aptWaitS, installPackages } from './apt/install-packages.ts';
import { runApt } from './apt/run-apt.ts';

const isRoot = process.getuid?.() === 0;
const APT = toolsOf('apt-get');
const GROUPS: Readonly<Record<string, readonly Tool[]>> = {
  /** To run VMs and to build their disks. */
  vms: [...POOL_TOOLS, ...BASE_TOOLS, ...toolsOf('debugfs'), ...(isRoot ? [] : USER_TOOLS)],
  /** To build images, and the programs that e2e compares our results with. */
  images: [
    ...IMAGE_TOOLS,
    { program: 'openssl', package: 'openssl' },
    { program: 'sfdisk', package: 'fdisk' },
    { program: 'mdir', package: 'mtools' },
    { program: 'fsck.fat', package: 'dosfstools' },
  ],
  /** The default of e2e/labs/browser.ts if CHROMIUM is not set. */
  chromium: process.env.CHROMIUM ? [] : [{ program: 'chromium', package: 'chromium' }],
  busybox: [{ program: 'busybox', package: 'busybox' }],
  /** For virtual environments, whose module is a package of its own. */
  python: [{ program: 'python3', package: 'python3-venv' }],
};
/** Tests that need one of these are skipped without it. */
const OPTIONAL = ['busybox', 'python'];

try {
  const groups = process.argv.slice(2);
  const unknown = groups.filter((name) => !(name in GROUPS));
  if (groups.length === 0 || unknown.length > 0)
    throw new UserError(`expected groups of programs, got ${unknown.join(', ') || 'none'}`, {
      code: 'tools/no-such-group',
      next: `node demo/ensure-tools.ts ${Object.keys(GROUPS).join(' ')}`,
    });
  const toolsIn = (names: readonly string[]) => names.flatMap((name) => GROUPS[name]!);
  const missing = [
    ...missingTools(toolsIn(groups), process.env.PATH),
    ...(groups.includes('images') && !hasFirmware() ? [{ program: 'UEFI firmware', package: 'ovmf' }] : []),
    ...(groups.includes('python') && !hasVenv() ? [{ program: 'python3 -m venv', package: 'python3-venv' }] : []),
  ];
  if (missing.length > 0 && isRoot && missingTools(APT, process.env.PATH).length === 0) {
    const packages = [...new Set(missing.map((tool) => tool.package))].sort();
    const deps = { runApt, clock: systemClock, say: (line: string) => console.error(line) };
    await installPackages(packages, aptWaitS(process.env.HEADSTART_APT_WAIT), deps);
  }
  requireTools(toolsIn(groups.filter((name) => !OPTIONAL.includes(name))), {
    path: process.env.PATH,
    isRoot,
    code: 'tools/missing-programs',
  });
  if (groups.includes('images')) findFirmware();
} catch (error) {
  console.error(renderError(error));
  process.exitCode = error instanceof Interrupted ? 130 : exitCodeOf(error);
}

function hasFirmware(): boolean {
  try {
    findFirmware();
    return true;
  } catch {
    return false;
  }
}

function hasVenv(): boolean {
  return spawnSync('python3', ['-c', 'import ensurepip, venv'], { stdio: 'ignore' }).status === 0;
}
