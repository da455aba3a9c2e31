// demo/apt/install-packages.ts: install Debian packages, and wait for other package managers: a new cloud VM updates itself first.
import type { Clock } from '../../src/base/clock.ts';
import { UserError } from '../../src/base/errors.ts';
import { type HeldLock, heldLock, renderHeldLock } from './held-lock.ts';

/** Runs apt-get and passes each line of its output to `onLine` at once. */
export type RunApt = (args: readonly string[], onLine: (line: string) => void) => Promise<AptRan>;
export interface AptRan {
  code: number;
  lines: string[];
}

export interface AptDeps {
  runApt: RunApt;
  clock: Clock;
  say: (line: string) => void;
}

const DEFAULT_WAIT_S = 600;
const RETRY_MS = 2_000;
const SAY_WAITING_MS = 15_000;
const SAY_WORKING_MS = 10_000;
const LAST_LINES = 15;

/** Prints apt's last lines, then throws a UserError. */
export async function installPackages(packages: readonly string[], waitS: number, deps: AptDeps): Promise<void> {
  deps.say(`== installing ${packages.join(', ')}`);
  const begunMs = deps.clock.nowMs();
  const deadlineMs = begunMs + waitS * 1000;
  const updated = await untilUnlocked(['update'], deadlineMs, waitS, deps);
  if (updated.code !== 0) {
    sayLastLines('update', updated, deps);
    deps.say('   trying with the existing package lists');
  }
  const install = ['install', '--yes', '--no-install-recommends', ...packages];
  const installed = await untilUnlocked(install, deadlineMs, waitS, deps);
  if (installed.code === 0) {
    deps.say(`   installed in ${Math.round((deps.clock.nowMs() - begunMs) / 1000)} s`);
    return;
  }
  sayLastLines('install', installed, deps);
  throw new UserError(`apt-get could not install ${packages.join(', ')} (exit code ${installed.code})`, {
    code: 'tools/apt-failed',
    next: `apt-get update && apt-get ${install.join(' ')}`,
    exitCode: 1,
  });
}

/** How long to wait for another package manager's lock: HEADSTART_APT_WAIT. */
export function aptWaitS(text: string | undefined): number {
  if (text === undefined || text === '') return DEFAULT_WAIT_S;
  if (/^\d{1,6}$/.test(text)) return Number(text);
  throw new UserError(`HEADSTART_APT_WAIT: expected a number of seconds, got ${text}`, {
    code: 'tools/bad-apt-wait',
    next: `HEADSTART_APT_WAIT=${DEFAULT_WAIT_S}`,
  });
}

async function untilUnlocked(
  args: readonly string[],
  deadlineMs: number,
  waitS: number,
  { runApt, clock, say }: AptDeps,
): Promise<AptRan> {
  const begunMs = clock.nowMs();
  let saidWaitingMs = Number.NEGATIVE_INFINITY;
  const sayWaiting = (held: HeldLock) => {
    if (clock.nowMs() - saidWaitingMs < SAY_WAITING_MS) return;
    saidWaitingMs = clock.nowMs();
    const waited = Math.round((saidWaitingMs - begunMs) / 1000);
    say(`   waiting for another package manager: ${renderHeldLock(held)} (${waited} s, at most ${waitS} s)`);
  };
  for (;;) {
    // apt waits by itself for dpkg's locks only; those of its lists and its cache make it fail at once.
    const leftS = Math.max(0, Math.ceil((deadlineMs - clock.nowMs()) / 1000));
    const sayWorking = worker({ clock, say });
    const ran = await runApt(['-o', `DPkg::Lock::Timeout=${leftS}`, ...args], (line) => {
      const held = heldLock([line]);
      if (held) sayWaiting(held);
      else sayWorking(line);
    });
    const held = ran.code === 0 ? undefined : heldLock(ran.lines);
    if (!held) return ran;
    if (clock.nowMs() >= deadlineMs) throw stillLocked(held, waitS);
    sayWaiting(held);
    await clock.sleep(RETRY_MS);
  }
}

/** Prints the amount of work at once, and the progress from time to time. */
function worker({ clock, say }: Pick<AptDeps, 'clock' | 'say'>): (line: string) => void {
  const begunMs = clock.nowMs();
  let saidMs = begunMs;
  return (line) => {
    const nowMs = clock.nowMs();
    if (/^(Need to get|After this operation)/.test(line)) say(`   ${line}`);
    else if (nowMs - saidMs < SAY_WORKING_MS) return;
    else say(`   ${line} (${Math.round((nowMs - begunMs) / 1000)} s)`);
    saidMs = nowMs;
  };
}

function sayLastLines(command: string, { lines }: AptRan, { say }: AptDeps): void {
  say(`   apt-get ${command} failed; its last lines:`);
  for (const line of lines.slice(-LAST_LINES)) say(`     ${line}`);
}

function stillLocked(held: HeldLock, waitS: number): UserError {
  return new UserError(`another package manager is busy: ${renderHeldLock(held)}, after ${waitS} s`, {
    code: 'tools/package-manager-busy',
    kept: 'No package was installed.',
    next: 'wait until it has ended, or set HEADSTART_APT_WAIT to more seconds, then run the same command again',
    exitCode: 1,
  });
}
