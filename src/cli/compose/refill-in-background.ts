// cli/compose/refill-in-background.ts: start `headstart standby up POOL` in a process that outlives this command.
import { spawn } from 'node:child_process';
import { closeSync, constants, existsSync, fstatSync, ftruncateSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { ownProgram } from '../../base/own-files/own-files.ts';
import { poolFolder } from '../../vms/qemu/home/layout.ts';

const LOG = 'standby.log';
const LOG_BYTES = 256 << 10;

export function refillInBackground(
  home: string,
  pool: string,
  env: Readonly<Record<string, string | undefined>>,
  start = spawn,
): void {
  const folder = poolFolder(home, pool);
  if (!existsSync(folder)) return; // another command deleted the pool
  const log = openLog(join(folder, LOG));
  try {
    const [program, ...args] = ownProgram(new URL('../bin.ts', import.meta.url), process.execArgv);
    const argv = [...args, 'standby', 'up', pool, '--leave-if-busy', '--vms', 'qemu', '--home', home];
    const output = log ?? 'ignore';
    const child = start(program, argv, { detached: true, stdio: ['ignore', output, output], env, cwd: home });
    // Nothing to do about it here: `standby status` shows that nodes are missing.
    child.on('error', () => undefined);
    child.unref();
  } finally {
    if (log !== undefined) closeSync(log);
  }
}

/**
 * Appends, because an earlier refill may still write. Begins again when it is large. Undefined: it cannot be opened, as on a full disk; the
 * claim that comes before has succeeded, and must not fail for that.
 */
function openLog(path: string): number | undefined {
  const { O_WRONLY, O_CREAT, O_APPEND, O_NOFOLLOW } = constants;
  try {
    const log = openSync(path, O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW, 0o600);
    if (fstatSync(log).size > LOG_BYTES) ftruncateSync(log);
    return log;
  } catch {
    return undefined;
  }
}
