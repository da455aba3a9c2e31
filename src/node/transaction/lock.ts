// node/transaction/lock.ts: does somebody else change this node right now? A mark of one's own, then a look for others': whoever comes at
// the same moment sees one of the two. A process that died holds nothing, however it died.
import { closeSync, mkdirSync, openSync, readdirSync, readFileSync, readlinkSync, rmSync } from 'node:fs';
import { join } from 'node:path';

/** One process of one boot. A number alone is given to somebody else in time. */
interface Mark {
  bootId: string;
  /** Numbers mean nothing to a process with numbers of its own. */
  pidNamespace: string;
  pid: string;
  startTicks: string;
}

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

function ownMark(): Mark {
  const pid = `${process.pid}`;
  return {
    bootId: readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim(),
    pidNamespace: readlinkSync('/proc/self/ns/pid').replace(/\D/g, ''),
    pid,
    startTicks: startTicksOf(pid) ?? '',
  };
}

function nameOf({ bootId, pidNamespace, pid, startTicks }: Mark): string {
  return [bootId, pidNamespace, pid, startTicks].join('.');
}

function isAlive(name: string, own: Mark): boolean {
  const [bootId, pidNamespace, pid, startTicks] = name.split('.');
  if (bootId !== own.bootId || pid === undefined || !/^\d+$/.test(pid)) return false;
  return pidNamespace !== own.pidNamespace || startTicksOf(pid) === startTicks;
}

/** The program's name comes second, in brackets, and may hold anything. Undefined for one that is gone, or as good as. */
function startTicksOf(pid: string): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return fields[0] === 'Z' || fields[0] === 'X' ? undefined : fields[19];
  } catch {
    return undefined;
  }
}
