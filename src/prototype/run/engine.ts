// prototype/run/engine.ts: observe, plan, do the first step, observe again; and whatever fails, the donor comes home first.
import { TransientError, UserError } from '../../base/errors.ts';
import type { InstanceRef } from '../../vms/pools.ts';
import { type Hold, holdingPool, renewing, renewingAside } from './hold-pool.ts';
import { observe } from './observe.ts';
import { HOME } from './pipeline.ts';
import { nextStep, planSteps } from './plan.ts';
import { refusals } from './preflight.ts';
import type { RunEvent, Tell } from './run-event.ts';
import { type Intent, type Run, type Scene, versionName } from './scene.ts';
import type { Step, StepDeps } from './step.ts';
import { MAX_ATTEMPTS, pauseBeforeRetry, withRetries } from './with-retries.ts';

export type { RunEvent } from './run-event.ts';

export interface EngineDeps extends Omit<StepDeps, 'onWaiting'> {
  tell: Tell;
  /** Aborted by whoever interrupts a second time: the way home, too, ends then. */
  homeSignal?: AbortSignal | undefined;
}

export interface RunResult {
  version: string;
  steps: string[];
}

/** A donor that finds no room is worth more patience than anything else. */
const HOME_ATTEMPTS = 60;
/** Waiting steps repeat themselves; a run that does nothing else for this long is stuck. */
const LONGEST_MS = 8 * 3_600_000;

export async function runPrototype(
  intent: Intent,
  donor: InstanceRef,
  runId: string,
  given: EngineDeps,
): Promise<RunResult> {
  const deps = { ...given, tell: unfailing(given.tell) };
  const asked = { pool: donor.pool, holder: runId, note: `prototype of ${intent.nodeName}` };
  return holdingPool(asked, deps, async (hold) => {
    const done: string[] = [];
    const driving = { intent, donor, deps, hold, done };
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
  deps: EngineDeps,
): Promise<string[]> {
  const asked = { pool: donor.pool, holder: runId, note: `recovery of ${intent.nodeName}` };
  return holdingPool(asked, deps, (hold) => recoverHeldDonor({ intent, donor, runId, deps, hold }));
}

/** The same for whoever has the pool already. */
export async function recoverHeldDonor({
  runId,
  ...driving
}: Pick<Driving, 'intent' | 'donor' | 'deps' | 'hold'> & { runId: string }): Promise<string[]> {
  const done: string[] = [];
  const deps = { ...driving.deps, tell: unfailing(driving.deps.tell) };
  await drive({ ...driving, deps, run: { id: runId, isAborting: true }, done });
  return done;
}

interface Driving {
  intent: Intent;
  donor: InstanceRef;
  run: Run;
  deps: EngineDeps;
  hold: Hold;
  done: string[];
}

async function drive(driving: Driving): Promise<Scene> {
  const { donor, run, deps, hold, done } = driving;
  const most = run.isAborting ? HOME_ATTEMPTS : MAX_ATTEMPTS;
  const endMs = deps.clock.nowMs() + LONGEST_MS;
  const patientUntilMs = run.isAborting ? endMs : 0;
  const attempts = new Map<string, number>();
  let { intent } = driving;
  for (;;) {
    await withRetries('hold-lease', hold, deps, patientUntilMs);
    const world = await withRetries('observe', () => observe(intent, donor, deps), deps, patientUntilMs);
    const scene: Scene = { world, intent, run };
    const next = nextStep(scene);
    deps.tell({ event: 'plan', steps: planSteps(scene) });
    if (!next || !HOME.includes(next)) {
      refuse(scene); // nothing speaks against bringing a donor home
      // What an earlier run began is what this one finishes: its version, not the one of a day that has begun since.
      intent = { ...intent, version: versionName(scene) };
    }
    if (!next) return scene;
    const attempt = (attempts.get(next.id) ?? 0) + 1;
    attempts.set(next.id, attempt);
    if ((!next.isWaiting && attempt > most) || deps.clock.nowMs() > endMs) throw stuck(next, attempt);
    await perform(next, scene, driving, attempt, most);
    if (next.glance) await waitFurther(next, scene, driving, endMs);
    if (attempt === 1) done.push(next.id);
    const told = EVENTS[next.id];
    if (told && attempt === 1 && world.node) await deps.cluster.recordEvent(world.node, told.reason, told.message);
  }
}

/** Reads no more than what is awaited, as long as it is still that which comes next. What comes after it, the whole world decides. */
async function waitFurther(step: Step, from: Scene, { deps, hold, run }: Driving, endMs: number): Promise<void> {
  const renewal = renewing(hold, deps.clock);
  const patientUntilMs = run.isAborting ? endMs : 0;
  for (let scene = from; ; ) {
    await withRetries('hold-lease', renewal.ifDue, deps, patientUntilMs);
    const seen = await withRetries(step.id, () => step.glance!(scene, deps), deps, patientUntilMs);
    scene = { ...scene, world: { ...scene.world, ...seen, nowMs: deps.clock.nowMs() } };
    if (nextStep(scene) !== step || scene.world.nowMs > endMs) return;
    await apply(step, scene, { deps, hold });
  }
}

/** A full disk under the log, or a terminal that is gone, is no reason to leave a donor stopped. */
function unfailing(tell: Tell): Tell {
  return (event) => {
    try {
      tell(event);
    } catch {
      // Who asked for the run learns of it when its result cannot be written either.
    }
  };
}

/** So that `kubectl describe node` tells the story. */
const EVENTS: Readonly<Record<string, { reason: string; message: string }>> = {
  'record-prior': { reason: 'PrototypeDonorTaken', message: 'taken out of service to copy its disk' },
  'restore-node': { reason: 'PrototypeDonorReturned', message: 'back in service, as it was found' },
};

/** One try; a transient failure is waited out and re-planned, not repeated blindly: the world may have moved. */
async function perform(step: Step, scene: Scene, driving: Driving, attempt: number, most: number): Promise<void> {
  const { deps } = driving;
  deps.tell({ event: 'step', step: step.id, title: step.title, attempt });
  try {
    await apply(step, scene, driving);
  } catch (error) {
    if (!(error instanceof TransientError) || attempt >= most) throw error;
    await pauseBeforeRetry(step.id, error, attempt, deps);
  }
}

/** A drain may take longer than a hold lasts. */
async function apply(step: Step, scene: Scene, { deps, hold }: Pick<Driving, 'deps' | 'hold'>): Promise<void> {
  const renewal = renewingAside(hold, deps.clock);
  const onWaiting = (what: string, percent?: number) => {
    renewal.ifDue();
    deps.tell({ event: 'waiting', step: step.id, for: what, ...(percent !== undefined && { percent }) });
  };
  await step.apply(scene, { ...deps, onWaiting }).finally(renewal.settled);
}

/** With its own signal: whoever interrupted the run does not want the donor left behind. A second interruption ends it. */
async function bringHome(because: unknown, driving: Driving): Promise<void> {
  const { deps } = driving;
  const reason = because instanceof Error ? because.message : String(because);
  let isTold = false;
  const tell = (event: RunEvent) => {
    if (event.event === 'step' && !isTold) {
      isTold = true;
      deps.tell({ event: 'going-home', because: reason });
    }
    deps.tell(event);
  };
  try {
    await drive({ ...driving, deps: { ...deps, tell, signal: deps.homeSignal ?? new AbortController().signal } });
  } catch (error) {
    if (!deps.homeSignal?.aborted && (await isHome(driving))) return;
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

/** Looked at once more, for the alarm: a run that has lost its hold may change nothing, but its donor mostly is in service. */
async function isHome({ intent, donor, run, deps }: Driving): Promise<boolean> {
  const calm = { ...deps, signal: new AbortController().signal };
  const world = await observe(intent, donor, calm).catch(() => undefined);
  return world !== undefined && nextStep({ world, intent, run }) === undefined;
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
