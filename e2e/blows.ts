// e2e/blows.ts: the real command line, killed (-9) on the way with all its children, or its donor's QEMU instead.
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const LAUNCHER = fileURLToPath(new URL('../headstart', import.meta.url));

/** Whom, and when: so long after that step was begun, or after the first that the command did. */
export interface Blow {
  victim: 'pipeline' | 'qemu';
  step?: string;
  afterMs: number;
}

export interface Ended {
  code: number | null;
  signal: NodeJS.Signals | null;
  stderr: string;
  /** Blows that found their victim alive. */
  hits: number;
  /** Those whose step the command never came to. */
  missed: Blow[];
}

export interface Field {
  home: string;
  /** Of the donor; throws where it has none. */
  qemuPid(): Promise<number>;
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
      const timer = setTimeout(async () => {
        hits += (await strike(blow, child.pid!, field)) ? 1 : 0;
      }, blow.afterMs);
      child.once('close', () => clearTimeout(timer)); // the next command is not to be hit by this one's
    }
  });
  return new Promise((resolve) => {
    child.on('close', (code, signal) => {
      resolve({ code, signal, hits, missed: [...due], stderr: `${stderr}\n${stdout.slice(-2000)}` });
    });
  });
}

async function strike({ victim }: Blow, pipeline: number, { qemuPid }: Field): Promise<boolean> {
  try {
    return process.kill(victim === 'pipeline' ? -pipeline : await qemuPid(), 'SIGKILL');
  } catch {
    return false; // it had ended by then: a run may be quicker than a late blow, and a donor is off for a while
  }
}

export function randomBlow(latestMs: number): Blow {
  return { victim: Math.random() < 0.3 ? 'qemu' : 'pipeline', afterMs: Math.floor(Math.random() * latestMs) };
}

export const toldBlows = (blows: readonly Blow[]) =>
  blows.map(({ victim, step, afterMs }) => `the ${victim} at ${step ?? 'the first step'} + ${afterMs} ms`).join(', ');
