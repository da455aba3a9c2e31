// demo/ensure-tools.ts: `node demo/ensure-tools.ts [images]`: the programs that VMs need, and those that images are built and tried with:
// installed where root asks Debian's package manager, otherwise named.
import { runCommand } from '../src/base/command.ts';
import { exitCodeOf, renderError } from '../src/base/errors.ts';
import { IMAGE_TOOLS } from '../src/image/required-tools.ts';
import {
  BASE_TOOLS,
  installCommand,
  missingTools,
  POOL_TOOLS,
  requireTools,
  USER_TOOLS,
} from '../src/vms/qemu/base/required-tools.ts';
import { findFirmware } from '../src/vms/qemu/firmware.ts';

const INSTALL_MS = 30 * 60_000;
/** What e2e holds our own work against. */
const E2E_TOOLS = [
  { program: 'openssl', package: 'openssl' },
  { program: 'sfdisk', package: 'fdisk' },
  { program: 'mdir', package: 'mtools' },
  { program: 'fsck.fat', package: 'dosfstools' },
];

try {
  const isRoot = process.getuid?.() === 0;
  const forImages = process.argv[2] === 'images';
  const needed = [
    ...POOL_TOOLS,
    ...BASE_TOOLS,
    { program: 'debugfs', package: 'e2fsprogs' },
    ...(forImages ? [...IMAGE_TOOLS, ...E2E_TOOLS] : []),
    ...(isRoot ? [] : USER_TOOLS),
  ];
  const missing = [
    ...missingTools(needed, process.env.PATH),
    ...(forImages && !hasFirmware() ? [{ program: 'UEFI firmware', package: 'ovmf' }] : []),
  ];
  if (missing.length > 0 && isRoot) {
    console.log(`== installing ${[...new Set(missing.map((tool) => tool.package))].join(', ')}`);
    const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
    await runCommand(['apt-get', 'update', '-qq'], { timeoutMs: INSTALL_MS });
    await runCommand(installCommand(missing), { env, timeoutMs: INSTALL_MS });
  }
  // Whatever the package manager said: what is still missing is named, with the command to type.
  requireTools(needed, process.env.PATH, isRoot);
  if (forImages) findFirmware();
} catch (error) {
  console.error(renderError(error));
  process.exitCode = exitCodeOf(error);
}

function hasFirmware(): boolean {
  try {
    findFirmware();
    return true;
  } catch {
    return false;
  }
}
