// node/apply/lock.ts: is another process changing this node? Each process creates its mark first and then looks for
// others, so of two that start at the same time at least one sees the other. The mark of a dead process does not count.
import { closeSync, mkdirSync, openSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { type ProcessMark, systemProcesses } from '../../base/process-mark.ts';

/** Undefined: this process or another holds the lock. */
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
  if (own === undefined) throw new Error('cannot identify this process from /proc');
  return own;
}

function nameOf({ bootId, pidNamespace, pid, startTicks }: ProcessMark): string {
  return [bootId, pidNamespace.replace(/\D/g, ''), pid, startTicks].join('.');
}

/** A reboot ends all processes, so a mark with another boot id does not count. */
function isAlive(name: string, own: ProcessMark): boolean {
  const [bootId = '', pidNamespace = '', pid = '', startTicks = ''] = name.split('.');
  if (bootId !== own.bootId || !/^\d+$/.test(pid)) return false;
  return !systemProcesses.isGone({ bootId, pidNamespace: `pid:[${pidNamespace}]`, pid: Number(pid), startTicks });
}
