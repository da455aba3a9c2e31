// node/apply/lock.ts: does somebody else change this node right now? A mark of one's own, then a look for others': whoever comes at
// the same moment sees one of the two. A process that died holds nothing, however it died.
import { closeSync, mkdirSync, openSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { type ProcessMark, systemProcesses } from '../../base/process-mark.ts';

/** Undefined: it is held, by this process or another. */
export function takeLock(folder: string): { release(): void } | undefined {
  const own = ownMark();
  const mark = join(folder, nameOf(own));
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  try {
    closeSync(openSync(mark, 'wx', 0o600));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return undefined;
    throw error;
  }
  const release = () => rmSync(mark, { force: true });
  for (const name of readdirSync(folder)) {
    if (name === nameOf(own)) continue;
    if (isAlive(name, own)) {
      release();
      return undefined;
    }
    rmSync(join(folder, name), { force: true });
  }
  return { release };
}

function ownMark(): ProcessMark {
  const own = systemProcesses.own();
  if (own === undefined) throw new Error('/proc does not tell which process this is');
  return own;
}

function nameOf({ bootId, pidNamespace, pid, startTicks }: ProcessMark): string {
  return [bootId, pidNamespace.replace(/\D/g, ''), pid, startTicks].join('.');
}

/** The folder is gone with the boot, so what is of another one is nobody's. */
function isAlive(name: string, own: ProcessMark): boolean {
  const [bootId = '', pidNamespace = '', pid = '', startTicks = ''] = name.split('.');
  if (bootId !== own.bootId || !/^\d+$/.test(pid)) return false;
  return !systemProcesses.isGone({ bootId, pidNamespace: `pid:[${pidNamespace}]`, pid: Number(pid), startTicks });
}
