// prototype/engine.ts: observe, plan, do the first step, observe again; and whatever fails, the donor comes home first.
import { TransientError, UserError } from '../base/errors.ts';
import type { InstanceRef } from '../vms/factory.ts';
import { NoCapacity, Throttled } from '../vms/failures.ts';
import { leaseName } from './names.ts';
import { observe } from './observe.ts';
import { HOME } from './pipeline.ts';
import { nextStep, type PlannedStep, planSteps } from './plan.ts';
import { refusals } from './preflight.ts';
import { type Intent, type Run, type Scene, versionName } from './scene.ts';
import type { Step, StepEdges } from './step.ts';

export interface EngineEdges extends Omit<StepEdges, 'onWaiting'> {
  tell(event: RunEvent): void;
}

export type RunEvent =
  | { event: 'plan'; steps: PlannedStep[] }
  | { event: 'step'; step: string; title: string; attempt: number }
  | { event: 'waiting'; step: string; for: string; percent?: number }
  | { event: 'retry'; step: string; attempt: number; inMs: number; because: string }
  | { event: 'going-home'; because: string };

export interface RunResult {
  version: string;
  steps: string[];
}

/** A hold outlives a slow step, and a dead run is taken over within the quarter of an hour. */
const LEASE_MS = 15 * 60_000;
const MAX_ATTEMPTS = 6;
const BACKOFF_MS = 5_000;
const LONGEST_BACKOFF_MS = 5 * 60_000;
/** A donor that finds no room is worth more patience than anything else. */
const HOME_ATTEMPTS = 60;
/** Waiting steps repeat themselves; a run that does nothing else for this long is stuck. */
const LONGEST_MS = 8 * 3_600_000;

export async function runPrototype(
  intent: Intent,
  donor: InstanceRef,
  runId: string,
  edges: EngineEdges,
): Promise<RunResult> {
  return underLease(`prototype of ${intent.nodeName}`, donor, runId, edges, async (hold) => {
    const done: string[] = [];
    const driving = { intent, donor, edges, hold, done };
    try {
      const scene = await drive({ ...driving, run: { id: runId, isAborting: false } });
      return { version: scene.intent.version, steps: done };
    } catch (error) {
      await bringHome(error, { ...driving, run: { id: runId, isAborting: true } });
      throw error;
    }
  });
}

/** Only the way home: for a donor that a run left out of service and nobody resumed. The steps that were needed. */
export async function recoverDonor(
  intent: Intent,
  donor: InstanceRef,
  runId: string,
  edges: EngineEdges,
): Promise<string[]> {
  return underLease(`recovery of ${intent.nodeName}`, donor, runId, edges, async (hold) => {
    const done: string[] = [];
    await drive({ intent, donor, run: { id: runId, isAborting: true }, edges, hold, done });
    return done;
  });
}

/** One at a time on a pool; a hold that could not be given back ends by itself. */
async function underLease<T>(
  note: string,
  { pool }: InstanceRef,
  holder: string,
  edges: EngineEdges,
  work: (hold: () => Promise<void>) => Promise<T>,
): Promise<T> {
  const name = leaseName(pool.name);
  const hold = () => edges.cluster.holdLease(name, { holder, durationMs: LEASE_MS, note });
  await withRetries('hold-lease', hold, edges);
  try {
    return await work(hold);
  } finally {
    await edges.cluster.releaseLease(name, holder).catch(() => undefined);
  }
}

interface Driving {
  intent: Intent;
  donor: InstanceRef;
  run: Run;
  edges: EngineEdges;
  hold(): Promise<void>;
  done: string[];
}

async function drive({ intent: asked, donor, run, edges, hold, done }: Driving): Promise<Scene> {
  const startedMs = edges.clock.nowMs();
  const attempts = new Map<string, number>();
  let intent = asked;
  for (;;) {
    await withRetries('hold-lease', hold, edges);
    const world = await withRetries('observe', () => observe(intent, donor, edges), edges);
    const scene: Scene = { world, intent, run };
    const next = nextStep(scene);
    edges.tell({ event: 'plan', steps: planSteps(scene) });
    if (!next || !HOME.includes(next)) {
      refuse(scene); // nothing speaks against bringing a donor home
      // What an earlier run began is what this one finishes: its version, not the one of a day that has begun since.
      intent = { ...intent, version: versionName(scene) };
    }
    if (!next) return scene;
    const attempt = (attempts.get(next.id) ?? 0) + 1;
    attempts.set(next.id, attempt);
    const isEndless = !next.isWaiting && attempt > (run.isAborting ? HOME_ATTEMPTS : MAX_ATTEMPTS);
    if (isEndless || edges.clock.nowMs() - startedMs > LONGEST_MS) throw stuck(next, attempt);
    await perform(next, scene, { edges, hold }, attempt, run.isAborting ? HOME_ATTEMPTS : MAX_ATTEMPTS);
    if (attempt === 1) done.push(next.id);
    const told = EVENTS[next.id];
    if (told && attempt === 1 && world.node) await edges.cluster.recordEvent(world.node, told.reason, told.message);
  }
}

/** So that `kubectl describe node` tells the story. */
const EVENTS: Readonly<Record<string, { reason: string; message: string }>> = {
  'record-prior': { reason: 'PrototypeDonorTaken', message: 'taken out of service to copy its disk' },
  'restore-node': { reason: 'PrototypeDonorReturned', message: 'back in service, as it was found' },
};

/** One try; a transient failure is waited out and re-planned, not repeated blindly: the world may have moved. */
async function perform(
  step: Step,
  scene: Scene,
  { edges, hold }: Pick<Driving, 'edges' | 'hold'>,
  attempt: number,
  most: number,
): Promise<void> {
  edges.tell({ event: 'step', step: step.id, title: step.title, attempt });
  const { renewIfDue, settled } = keepHeld(hold, edges);
  try {
    await step
      .apply(scene, {
        ...edges,
        onWaiting: (what, percent) => {
          renewIfDue();
          edges.tell({ event: 'waiting', step: step.id, for: what, ...(percent !== undefined && { percent }) });
        },
      })
      .finally(settled);
  } catch (error) {
    if (!(error instanceof TransientError) || attempt >= most) throw error;
    const inMs = pauseMs(error, attempt);
    edges.tell({ event: 'retry', step: step.id, attempt, inMs, because: error.message });
    await edges.clock.sleep(inMs, edges.signal);
  }
}

/** A drain may take longer than a hold lasts. A renewal that fails is told at the next look, which cannot do without. */
function keepHeld(hold: () => Promise<void>, { clock }: EngineEdges): { renewIfDue(): void; settled(): Promise<void> } {
  let renewedMs = clock.nowMs();
  let renewing = Promise.resolve();
  return {
    renewIfDue: () => {
      if (clock.nowMs() - renewedMs < LEASE_MS / 3) return;
      renewedMs = clock.nowMs();
      renewing = renewing.then(hold).catch(() => undefined);
    },
    settled: () => renewing,
  };
}

async function withRetries<T>(step: string, call: () => Promise<T>, edges: EngineEdges): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await call();
    } catch (error) {
      if (!(error instanceof TransientError) || attempt >= MAX_ATTEMPTS) throw error;
      const inMs = pauseMs(error, attempt);
      edges.tell({ event: 'retry', step, attempt, inMs, because: error.message });
      await edges.clock.sleep(inMs, edges.signal);
    }
  }
}

function pauseMs(error: TransientError, attempt: number): number {
  if (error instanceof Throttled) return error.retryAfterMs;
  const factor = error instanceof NoCapacity ? 4 : 1;
  return Math.min(LONGEST_BACKOFF_MS, factor * BACKOFF_MS * 2 ** (attempt - 1));
}

/** With its own signal: whoever interrupted the run does not want the donor left behind. A second interruption ends it. */
async function bringHome(because: unknown, driving: Driving): Promise<void> {
  const { edges } = driving;
  const reason = because instanceof Error ? because.message : String(because);
  let isTold = false;
  const tell = (event: RunEvent) => {
    if (event.event === 'step' && !isTold) {
      isTold = true;
      edges.tell({ event: 'going-home', because: reason });
    }
    edges.tell(event);
  };
  try {
    await drive({ ...driving, edges: { ...edges, tell, signal: new AbortController().signal } });
  } catch (error) {
    throw new UserError(
      `the run failed (${reason}), and the donor ${driving.intent.nodeName} could not be brought back into service: ${(error as Error).message}`,
      {
        code: 'prototype/donor-out',
        kept: 'The donor may be stopped, cordoned or marked; what it looked like before is written on it.',
        next: `headstart prototype recover --node ${driving.intent.nodeName}`,
        exitCode: 4,
        cause: because,
      },
    );
  }
}

function refuse(scene: Scene): void {
  const [first, ...others] = refusals(scene);
  if (!first) return;
  const more = others.map((other) => `; ${other.reason}`).join('');
  throw new UserError(`${first.reason}${more}`, {
    code: first.code,
    kept: 'Nothing was changed.',
    next: first.next,
    exitCode: 1,
  });
}

function stuck(step: Step, attempts: number): UserError {
  return new UserError(`"${step.title}" has not come to an end after ${attempts} looks`, {
    code: 'prototype/stuck',
    kept: 'The donor is in service; what was made so far is kept.',
    next: 'look at the cloud for the reason, then run the same command again: it resumes',
    exitCode: 4,
  });
}
