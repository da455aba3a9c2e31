// prototype/run/engine.ts: observe, plan, do the first step, observe again; and whatever fails, the donor comes home first.
import { TransientError, UserError } from '../../base/errors.ts';
import type { InstanceRef } from '../../vms/pools.ts';
import { backgroundRenewal, type Hold, holdRenewal, withPoolHold } from './hold-pool.ts';
import { observeWorld } from './observe.ts';
import { RESTORE } from './pipeline.ts';
import { nextStep, planSteps } from './plan.ts';
import { refusals } from './preflight.ts';
import type { RunEvent, RunEventListener } from './run-event.ts';
import { type Intent, type Run, type Scene, targetVersionName } from './scene.ts';
import type { Step, StepDeps } from './step.ts';
import { MAX_ATTEMPTS, pauseBeforeRetry, withRetries } from './with-retries.ts';

export type { RunEvent } from './run-event.ts';

export interface EngineDeps extends Omit<StepDeps, 'onWaiting'> {
  onEvent: RunEventListener;
  /** Aborted by whoever interrupts a second time: the way home, too, ends then. */
  restoreSignal?: AbortSignal | undefined;
}

export interface RunResult {
  version: string;
  steps: string[];
}

/** A donor that finds no room is worth more patience than anything else. */
const RESTORE_ATTEMPTS = 60;
/** Waiting steps repeat themselves; a run that does nothing else for this long is stuck. */
const LONGEST_MS = 8 * 3_600_000;

export async function runPrototype(
  intent: Intent,
  donor: InstanceRef,
  runId: string,
  given: EngineDeps,
): Promise<RunResult> {
  const deps = { ...given, onEvent: ignoringErrors(given.onEvent) };
  const asked = { pool: donor.pool, holder: runId, note: `prototype of ${intent.nodeName}` };
  return withPoolHold(asked, deps, async (hold) => {
    const done: string[] = [];
    const context = { intent, donor, deps, hold, done };
    try {
      const scene = await runSteps({ ...context, run: { id: runId, isAborting: false } });
      return { version: scene.intent.version, steps: done };
    } catch (error) {
      await restoreDonor(error, { ...context, run: { id: runId, isAborting: true } });
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
  return withPoolHold(asked, deps, (hold) => recoverHeldDonor({ intent, donor, runId, deps, hold }));
}

/** The same for whoever has the pool already. */
export async function recoverHeldDonor({
  runId,
  ...context
}: Pick<RunContext, 'intent' | 'donor' | 'deps' | 'hold'> & { runId: string }): Promise<string[]> {
  const done: string[] = [];
  const deps = { ...context.deps, onEvent: ignoringErrors(context.deps.onEvent) };
  await runSteps({ ...context, deps, run: { id: runId, isAborting: true }, done });
  return done;
}

interface RunContext {
  intent: Intent;
  donor: InstanceRef;
  run: Run;
  deps: EngineDeps;
  hold: Hold;
  done: string[];
}

async function runSteps(context: RunContext): Promise<Scene> {
  const { donor, run, deps, hold, done } = context;
  const most = run.isAborting ? RESTORE_ATTEMPTS : MAX_ATTEMPTS;
  const endMs = deps.clock.nowMs() + LONGEST_MS;
  const patientUntilMs = run.isAborting ? endMs : 0;
  const attempts = new Map<string, number>();
  let { intent } = context;
  for (;;) {
    await withRetries('hold-lease', hold, deps, patientUntilMs);
    const world = await withRetries('observe', () => observeWorld(intent, donor, deps), deps, patientUntilMs);
    const scene: Scene = { world, intent, run };
    const next = nextStep(scene);
    deps.onEvent({ event: 'plan', steps: planSteps(scene) });
    if (!next || !RESTORE.includes(next)) {
      refuse(scene); // nothing speaks against bringing a donor home
      // What an earlier run began is what this one finishes: its version, not the one of a day that has begun since.
      intent = { ...intent, version: targetVersionName(scene) };
    }
    if (!next) return scene;
    const attempt = (attempts.get(next.id) ?? 0) + 1;
    attempts.set(next.id, attempt);
    if ((!next.isWaiting && attempt > most) || deps.clock.nowMs() > endMs) throw stuck(next, attempt);
    await perform(next, scene, context, attempt, most);
    if (next.poll) await keepWaiting(next, scene, context, endMs);
    if (attempt === 1) done.push(next.id);
    const told = EVENTS[next.id];
    if (told && attempt === 1 && world.node) await deps.cluster.recordEvent(world.node, told.reason, told.message);
  }
}

/** Reads no more than what is awaited, as long as it is still that which comes next. What comes after it, the whole world decides. */
async function keepWaiting(step: Step, from: Scene, { deps, hold, run }: RunContext, endMs: number): Promise<void> {
  const renewal = holdRenewal(hold, deps.clock);
  const patientUntilMs = run.isAborting ? endMs : 0;
  for (let scene = from; ; ) {
    await withRetries('hold-lease', renewal.ifDue, deps, patientUntilMs);
    const seen = await withRetries(step.id, () => step.poll!(scene, deps), deps, patientUntilMs);
    scene = { ...scene, world: { ...scene.world, ...seen, nowMs: deps.clock.nowMs() } };
    if (nextStep(scene) !== step || scene.world.nowMs > endMs) return;
    await apply(step, scene, { deps, hold });
  }
}

/** A full disk under the log, or a terminal that is gone, is no reason to leave a donor stopped. */
function ignoringErrors(onEvent: RunEventListener): RunEventListener {
  return (event) => {
    try {
      onEvent(event);
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
async function perform(step: Step, scene: Scene, context: RunContext, attempt: number, most: number): Promise<void> {
  const { deps } = context;
  deps.onEvent({ event: 'step', step: step.id, title: step.title, attempt });
  try {
    await apply(step, scene, context);
  } catch (error) {
    if (!(error instanceof TransientError) || attempt >= most) throw error;
    await pauseBeforeRetry(step.id, error, attempt, deps);
  }
}

/** A drain may take longer than a hold lasts. */
async function apply(step: Step, scene: Scene, { deps, hold }: Pick<RunContext, 'deps' | 'hold'>): Promise<void> {
  const renewal = backgroundRenewal(hold, deps.clock);
  const onWaiting = (what: string, percent?: number) => {
    renewal.ifDue();
    deps.onEvent({ event: 'waiting', step: step.id, for: what, ...(percent !== undefined && { percent }) });
  };
  await step.apply(scene, { ...deps, onWaiting }).finally(renewal.settled);
}

/** With its own signal: whoever interrupted the run does not want the donor left behind. A second interruption ends it. */
async function restoreDonor(because: unknown, context: RunContext): Promise<void> {
  const { deps } = context;
  const reason = because instanceof Error ? because.message : String(because);
  let isTold = false;
  const onEvent = (event: RunEvent) => {
    if (event.event === 'step' && !isTold) {
      isTold = true;
      deps.onEvent({ event: 'going-home', because: reason });
    }
    deps.onEvent(event);
  };
  try {
    await runSteps({
      ...context,
      deps: { ...deps, onEvent, signal: deps.restoreSignal ?? new AbortController().signal },
    });
  } catch (error) {
    if (!deps.restoreSignal?.aborted && (await isDonorRestored(context))) return;
    throw new UserError(
      `the run failed (${reason}), and the donor ${context.intent.nodeName} could not be brought back into service: ${(error as Error).message}`,
      {
        code: 'prototype/donor-out',
        kept: 'The donor may be stopped, cordoned or marked; what it looked like before is written on it.',
        next: `headstart prototype recover --node ${context.intent.nodeName}`,
        exitCode: 4,
        cause: because,
      },
    );
  }
}

/** Looked at once more, for the alarm: a run that has lost its hold may change nothing, but its donor mostly is in service. */
async function isDonorRestored({ intent, donor, run, deps }: RunContext): Promise<boolean> {
  const calm = { ...deps, signal: new AbortController().signal };
  const world = await observeWorld(intent, donor, calm).catch(() => undefined);
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
