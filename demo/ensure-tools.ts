// demo/ensure-tools.ts: `node demo/ensure-tools.ts`: the programs that VMs need: installed where root asks Debian's package manager, otherwise named.
import { runCommand } from '../src/base/command.ts';
import { exitCodeOf, renderError } from '../src/base/errors.ts';
import {
  BASE_TOOLS,
  installCommand,
  missingTools,
  POOL_TOOLS,
  requireTools,
  USER_TOOLS,
} from '../src/vms/qemu/base/required-tools.ts';

const INSTALL_MS = 30 * 60_000;

try {
  const isRoot = process.getuid?.() === 0;
  const needed = [
    ...POOL_TOOLS,
    ...BASE_TOOLS,
    { program: 'debugfs', package: 'e2fsprogs' },
    ...(isRoot ? [] : USER_TOOLS),
  ];
  const missing = missingTools(needed, process.env.PATH);
  if (missing.length > 0 && isRoot) {
    console.log(`== installing ${[...new Set(missing.map((tool) => tool.package))].join(', ')}`);
    const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
    await runCommand(['apt-get', 'update', '-qq'], { timeoutMs: INSTALL_MS });
    await runCommand(installCommand(missing), { env, timeoutMs: INSTALL_MS });
  }
  // Whatever the package manager said: what is still missing is named, with the command to type.
  requireTools(needed, process.env.PATH, isRoot);
} catch (error) {
  console.error(renderError(error));
  process.exitCode = exitCodeOf(error);
}
