// e2e/labs/kills.ts: kills (-9) the real command line with all its children, or the donor's QEMU or the API server, in the middle of a run.
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { random } from '../../sims/azure/world.ts';

const LAUNCHER = fileURLToPath(new URL('../../headstart', import.meta.url));

/** Which process, and when: a time after that step began, or after the command's first step. */
export interface Kill {
  victim: 'pipeline' | 'qemu' | 'api-server';
  step?: string;
  afterMs: number;
}

export interface Ended {
  code: number | null;
  signal: NodeJS.Signals | null;
  stderr: string;
  /** Kills that hit a running process. */
  hits: number;
}

export interface Field {
  home: string;
  /** Throws if it does not run. */
  pidOf(victim: Exclude<Kill['victim'], 'pipeline'>): number;
  /** Called after it was killed. */
  onHit?(victim: Kill['victim']): void;
}

/** Each kill happens after its step was printed, so the command must print steps (`--json`). */
export async function runWithKills(kills: readonly Kill[], args: readonly string[], field: Field): Promise<Ended> {
  const child = spawn(LAUNCHER, args, {
    env: { ...process.env, HEADSTART_HOME: field.home, HEADSTART_VMS: 'qemu' },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true, // so that the launcher's children are killed as well
  });
  let [stdout, stderr] = ['', ''];
  const due = new Set(kills);
  let hits = 0;
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
    for (const kill of due) {
      if (!stdout.includes(kill.step === undefined ? '"step":' : `"step":"${kill.step}"`)) continue;
      due.delete(kill);
      const timer = setTimeout(() => {
        if (!killVictim(kill, child.pid!, field)) return;
        hits += 1;
        field.onHit?.(kill.victim);
      }, kill.afterMs);
      child.once('close', () => clearTimeout(timer)); // a kill of this command must not hit the next one
    }
  });
  return new Promise((resolve) => {
    child.on('close', (code, signal) => {
      resolve({ code, signal, hits, stderr: `${stderr}\n${stdout.slice(-2000)}` });
    });
  });
}

function killVictim({ victim }: Kill, pipeline: number, { pidOf }: Field): boolean {
  try {
    return process.kill(victim === 'pipeline' ? -pipeline : real(pidOf(victim)), 'SIGKILL');
  } catch {
    return false; // already ended: a run may be faster than a late kill, and a donor is off for a while
  }
}

/** A file that is being written is empty, and pid 0 would be our own process group. */
function real(pid: number): number {
  if (!Number.isInteger(pid) || pid <= 1) throw new Error(`${pid} is not a process id of ours`);
  return pid;
}

/** Three commands of one run, each killed once; the same for the same seed. */
export function randomKills(seed: number, latestMs: number, victim?: Kill['victim']): Kill[][] {
  const draws = { random: seed };
  const drawVictim = () => (random(draws) < 0.3 ? 'qemu' : 'pipeline');
  return Array.from({ length: 3 }, () => [
    { victim: victim ?? drawVictim(), afterMs: Math.floor(random(draws) * latestMs) },
  ]);
}

export const describeKills = (kills: readonly Kill[]) =>
  kills.map(({ victim, step, afterMs }) => `the ${victim} at ${step ?? 'the first step'} + ${afterMs} ms`).join(', ');
