// bench/measure.ts: how long does a command take, and what is its peak memory?
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';

export interface Measured {
  seconds: number;
  /** Peak resident memory as the kernel kept it, read until the process ended. */
  peakMb: number;
  /** User and system time, read until the process ended. */
  cpuS: number;
  code: number;
  stdoutBytes: number;
}

/** `stdin`: an open file. */
export async function measure(argv: readonly string[], stdin: number | 'ignore' = 'ignore'): Promise<Measured> {
  const started = performance.now();
  const child = spawn(argv[0]!, argv.slice(1), { stdio: [stdin, 'pipe', 'ignore'] });
  let stdoutBytes = 0;
  let peakKb = 0;
  let cpuS = 0;
  child.stdout!.on('data', (chunk: Buffer) => {
    stdoutBytes += chunk.length;
  });
  const poll = setInterval(() => {
    peakKb = Math.max(peakKb, highWaterKb(child.pid!));
    cpuS = Math.max(cpuS, cpuSeconds(child.pid!));
  }, 5);
  const code = await new Promise<number>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (status) => resolve(status ?? -1));
  });
  clearInterval(poll);
  return { seconds: (performance.now() - started) / 1000, peakMb: peakKb / 1024, cpuS, code, stdoutBytes };
}

/** Alternating, so that what else the machine does hits all of them alike; the median of each, and its spread. */
export async function alternate<Name extends string>(
  commands: Record<Name, readonly string[]>,
  rounds: number,
): Promise<Record<Name, Summary>> {
  const names = Object.keys(commands) as Name[];
  const runs = new Map<Name, Measured[]>(names.map((name) => [name, []]));
  for (let round = 0; round < rounds; round++) {
    for (const name of names) runs.get(name)!.push(await measure(commands[name]));
  }
  return Object.fromEntries(names.map((name) => [name, summarise(runs.get(name)!)])) as Record<Name, Summary>;
}

export interface Summary {
  medianS: number;
  minS: number;
  maxS: number;
  peakMb: number;
  codes: number[];
  stdoutBytes: number;
}

function summarise(runs: Measured[]): Summary {
  const seconds = runs.map((run) => run.seconds).sort((a, b) => a - b);
  return {
    medianS: seconds[Math.floor(seconds.length / 2)]!,
    minS: seconds[0]!,
    maxS: seconds.at(-1)!,
    peakMb: Math.max(...runs.map((run) => run.peakMb)),
    codes: [...new Set(runs.map((run) => run.code))],
    stdoutBytes: runs[0]!.stdoutBytes,
  };
}

const TICKS_PER_SECOND = 100; // USER_HZ, the same on all Linux machines that Node.js runs on

function cpuSeconds(pid: number): number {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
  } catch {
    return 0; // gone already
  }
}

function highWaterKb(pid: number): number {
  try {
    return Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0);
  } catch {
    return 0; // gone already
  }
}
