// cluster/lock-file.ts: a hold on a pool without a cluster, in lock files instead of a Lease.
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Processes, type ProcessMark, readMark, systemProcesses } from '../base/process-mark.ts';
import type { Lease } from './cluster.ts';
import { LeaseHeld } from './lease-held.ts';

/**
 * `<name>.<n>.lock`, created with O_EXCL, so that only one of two processes that see the same expired hold gets the next number.
 * The highest number is the hold. Its modification time is the heartbeat, which cannot recreate a file that another process removed.
 */
export class LockFiles {
  readonly #folder: string;
  readonly #processes: Processes;

  constructor(folder: string, processes: Processes = systemProcesses) {
    this.#folder = folder;
    this.#processes = processes;
  }

  read(name: string): Lease | undefined {
    return this.#current(name)?.lease;
  }

  hold(name: string, wanted: Omit<Lease, 'renewedMs'>, nowMs: number): void {
    const current = this.#current(name);
    if (current?.lease.holder === wanted.holder && this.#renew(name, current, wanted, nowMs)) return;
    const found = this.#current(name);
    if (found && found.lease.holder !== wanted.holder && this.#isInForce(found, nowMs)) {
      throw new LeaseHeld(name, found.lease);
    }
    const next = (found?.number ?? 0) + 1;
    mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
    try {
      this.#write(name, next, wanted, nowMs, 'wx');
    } catch (error) {
      if (!isCode(error, 'EEXIST')) throw error;
      throw new LeaseHeld(name, this.read(name) ?? { ...wanted, holder: 'another run', renewedMs: nowMs });
    }
    for (const number of this.#numbers(name)) if (number < next) rmSync(this.#path(name, number), { force: true });
  }

  release(name: string, holder: string): void {
    const current = this.#current(name);
    if (current?.lease.holder === holder) rmSync(this.#path(name, current.number), { force: true });
  }

  /** A hold ends at once if its process was killed on this machine. */
  #isInForce({ lease, mark }: LockEntry, nowMs: number): boolean {
    return nowMs <= lease.renewedMs + lease.durationMs && !(mark && this.#processes.isGone(mark));
  }

  #renew(name: string, current: LockEntry, wanted: Omit<Lease, 'renewedMs'>, nowMs: number): boolean {
    const isSame = current.lease.note === wanted.note && current.lease.durationMs === wanted.durationMs;
    try {
      if (isSame) utimesSync(this.#path(name, current.number), nowMs / 1000, nowMs / 1000);
      else this.#write(name, current.number, wanted, nowMs, 'r+');
      // Another process may have taken over an expired hold just before the heartbeat: the higher number wins.
      return this.#current(name)?.number === current.number;
    } catch (error) {
      if (isCode(error, 'ENOENT')) return false;
      throw error;
    }
  }

  #write(name: string, number: number, wanted: Omit<Lease, 'renewedMs'>, nowMs: number, flag: 'wx' | 'r+'): void {
    const { holder, note, durationMs } = wanted;
    const path = this.#path(name, number);
    // Readers take only the first line: a shorter text written over a longer one leaves a tail.
    const line = JSON.stringify({ holder, note, durationMs, process: this.#processes.own() });
    writeFileSync(path, `${line}\n`, { flag, mode: 0o600 });
    utimesSync(path, nowMs / 1000, nowMs / 1000);
  }

  #current(name: string): LockEntry | undefined {
    for (const number of this.#numbers(name).sort((a, b) => b - a)) {
      try {
        const path = this.#path(name, number);
        const renewedMs = Math.round(statSync(path).mtimeMs);
        const { mark, ...lease } = readHolder(path);
        return { number, lease: { ...lease, renewedMs }, ...(mark && { mark }) };
      } catch (error) {
        if (!isCode(error, 'ENOENT')) throw error;
      }
    }
    return undefined;
  }

  #numbers(name: string): number[] {
    try {
      return readdirSync(this.#folder)
        .filter((file) => file.startsWith(`${name}.`) && file.endsWith('.lock'))
        .map((file) => Number(file.slice(name.length + 1, -'.lock'.length)))
        .filter(Number.isSafeInteger);
    } catch (error) {
      if (isCode(error, 'ENOENT')) return [];
      throw error;
    }
  }

  #path(name: string, number: number): string {
    return join(this.#folder, `${name}.${number}.lock`);
  }
}

interface LockEntry {
  number: number;
  lease: Lease;
  mark?: ProcessMark;
}

/** If the writer died between creating and writing the file, it counts as a short hold. */
function readHolder(path: string): Omit<Lease, 'renewedMs'> & { mark?: ProcessMark } {
  const UNREADABLE = { holder: 'a run that died early', note: 'its lock file is empty', durationMs: 60_000 };
  const line = readFileSync(path, 'utf8').split('\n')[0]!;
  try {
    const value: unknown = JSON.parse(line);
    if (typeof value !== 'object' || value === null) return UNREADABLE;
    const { holder, note, durationMs, process } = value as Record<string, unknown>;
    if (typeof holder !== 'string' || typeof note !== 'string' || typeof durationMs !== 'number') return UNREADABLE;
    const mark = readMark(process);
    return { holder, note, durationMs, ...(mark && { mark }) };
  } catch {
    return UNREADABLE;
  }
}

function isCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}
