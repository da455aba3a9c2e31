// e2e/labs/blows.ts: the real command line, killed (-9) on the way with all its children, or its donor's QEMU or its API server instead.
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { random } from '../../sims/azure/world.ts';

const LAUNCHER = fileURLToPath(new URL('../../headstart', import.meta.url));

/** Whom, and when: so long after that step was begun, or after the first that the command did. */
export interface Blow {
  victim: 'pipeline' | 'qemu' | 'api-server';
  step?: string;
  afterMs: number;
}

export interface Ended {
  code: number | null;
  signal: NodeJS.Signals | null;
  stderr: string;
  /** Blows that found their victim alive. */
  hits: number;
}

export interface Field {
  home: string;
  /** Throws where it does not run. */
  pidOf(victim: Exclude<Blow['victim'], 'pipeline'>): number;
  /** It was alive, and is not any more. */
  onHit?(victim: Blow['victim']): void;
}

/** Each blow falls once the step it names was told of: the command has to be one that tells them, with `--json`. */
export async function headstartUnder(blows: readonly Blow[], args: readonly string[], field: Field): Promise<Ended> {
  const child = spawn(LAUNCHER, args, {
    env: { ...process.env, HEADSTART_HOME: field.home, HEADSTART_VMS: 'qemu' },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true, // the launcher's own children are to be hit as well
  });
  let [stdout, stderr] = ['', ''];
  const due = new Set(blows);
  let hits = 0;
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
    for (const blow of due) {
      if (!stdout.includes(blow.step === undefined ? '"step":' : `"step":"${blow.step}"`)) continue;
      due.delete(blow);
      const timer = setTimeout(() => {
        if (!strike(blow, child.pid!, field)) return;
        hits += 1;
        field.onHit?.(blow.victim);
      }, blow.afterMs);
      child.once('close', () => clearTimeout(timer)); // the next command is not to be hit by this one's
    }
  });
  return new Promise((resolve) => {
    child.on('close', (code, signal) => {
      resolve({ code, signal, hits, stderr: `${stderr}\n${stdout.slice(-2000)}` });
    });
  });
}

function strike({ victim }: Blow, pipeline: number, { pidOf }: Field): boolean {
  try {
    return process.kill(victim === 'pipeline' ? -pipeline : real(pidOf(victim)), 'SIGKILL');
  } catch {
    return false; // it had ended by then: a run may be quicker than a late blow, and a donor is off for a while
  }
}

/** A file that is just being written has none; and 0 would be ourselves. */
function real(pid: number): number {
  if (!Number.isInteger(pid) || pid <= 1) throw new Error(`${pid} is nobody`);
  return pid;
}

/** Three commands of one run, each hit once; the same ones for the same seed. */
export function drawnBlows(seed: number, latestMs: number, victim?: Blow['victim']): Blow[][] {
  const draws = { random: seed };
  const drawVictim = () => (random(draws) < 0.3 ? 'qemu' : 'pipeline');
  return Array.from({ length: 3 }, () => [
    { victim: victim ?? drawVictim(), afterMs: Math.floor(random(draws) * latestMs) },
  ]);
}

export const toldBlows = (blows: readonly Blow[]) =>
  blows.map(({ victim, step, afterMs }) => `the ${victim} at ${step ?? 'the first step'} + ${afterMs} ms`).join(', ');
