// prototype/run/engine.ts: observe, plan, apply the next step, repeat. After any failure it restores the donor first.
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
  /** Aborted by a second interrupt, which also ends the restore of the donor. */
  restoreSignal?: AbortSignal | undefined;
}

export interface RunResult {
  version: string;
  steps: string[];
}

/** More than for other steps: a start may fail for lack of capacity for a long time. */
const RESTORE_ATTEMPTS = 60;
/** Waiting steps repeat without an attempt limit. After this time the run counts as stuck. */
const LONGEST_MS = 8 * 3_600_000;

export async function runPrototype(
  intent: Intent,
  donor: InstanceRef,
  runId: string,
  given: EngineDeps,
): Promise<RunResult> {
  const deps = { ...given, onEvent: ignoringErrors(given.onEvent) };
  const request = { pool: donor.pool, holder: runId, note: `prototype of ${intent.nodeName}` };
  return withPoolHold(request, deps, async (hold) => {
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

/** Only restores a donor that an unfinished run left out of service. Returns the ids of the steps it applied. */
export async function recoverDonor(
  intent: Intent,
  donor: InstanceRef,
  runId: string,
  deps: EngineDeps,
): Promise<string[]> {
  const request = { pool: donor.pool, holder: runId, note: `recovery of ${intent.nodeName}` };
  return withPoolHold(request, deps, (hold) => recoverHeldDonor({ intent, donor, runId, deps, hold }));
}

/** Like `recoverDonor`, for a caller that already holds the pool. */
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
      refuse(scene); // restoring a donor is never refused
      // Finish the version that an earlier run began, even if the date has changed since.
      intent = { ...intent, version: targetVersionName(scene) };
    }
    if (!next) return scene;
    const attempt = (attempts.get(next.id) ?? 0) + 1;
    attempts.set(next.id, attempt);
    if ((!next.isWaiting && attempt > most) || deps.clock.nowMs() > endMs) throw stuck(next, attempt);
    await perform(next, scene, context, attempt, most);
    if (next.poll) await keepWaiting(next, scene, context, endMs);
    if (attempt === 1) done.push(next.id);
    const kubeEvent = EVENTS[next.id];
    if (kubeEvent && attempt === 1 && world.node)
      await deps.cluster.recordEvent(world.node, kubeEvent.reason, kubeEvent.message);
  }
}

/** Polls only what the step waits for, until another step is next. The caller then plans from a full observation. */
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

/** A listener that fails (full disk, closed terminal) must not leave the donor stopped. */
function ignoringErrors(onEvent: RunEventListener): RunEventListener {
  return (event) => {
    try {
      onEvent(event);
    } catch {
      // The caller finds out when it cannot write the result either.
    }
  };
}

/** Kubernetes Events, which `kubectl describe node` shows. */
const EVENTS: Readonly<Record<string, { reason: string; message: string }>> = {
  'record-prior': { reason: 'PrototypeDonorTaken', message: 'taken out of service to copy its disk' },
  'restore-node': { reason: 'PrototypeDonorReturned', message: 'back in service, in its earlier state' },
};

/** One attempt. After a transient failure it pauses and the run plans again, because the state may have changed. */
async function perform(step: Step, scene: Scene, context: RunContext, attempt: number, most: number): Promise<void> {
  const { deps } = context;
  const changes = step.changes?.(scene);
  deps.onEvent({ event: 'step', step: step.id, title: step.title, attempt, ...(changes && { changes }) });
  const warning = attempt === 1 ? step.warning?.(scene) : undefined;
  if (warning !== undefined) deps.onEvent({ event: 'warning', step: step.id, warning });
  try {
    await apply(step, scene, context);
  } catch (error) {
    if (!(error instanceof TransientError) || attempt >= most) throw error;
    await pauseBeforeRetry(step.id, error, attempt, deps);
  }
}

/** Renews the hold while the step waits: a drain may take longer than a hold lasts. */
async function apply(step: Step, scene: Scene, { deps, hold }: Pick<RunContext, 'deps' | 'hold'>): Promise<void> {
  const renewal = backgroundRenewal(hold, deps.clock);
  const onWaiting = (what: string, percent?: number) => {
    renewal.ifDue();
    deps.onEvent({ event: 'waiting', step: step.id, for: what, ...(percent !== undefined && { percent }) });
  };
  await step.apply(scene, { ...deps, onWaiting }).finally(renewal.settled);
}

/** Uses its own signal, so that interrupting the run does not leave the donor out of service. A second interrupt ends it. */
async function restoreDonor(because: unknown, context: RunContext): Promise<void> {
  const { deps } = context;
  const reason = because instanceof Error ? because.message : String(because);
  let isReported = false;
  const onEvent = (event: RunEvent) => {
    if (event.event === 'step' && !isReported) {
      isReported = true;
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
      `the run failed (${reason}), and the donor ${context.intent.nodeName} could not be returned to service: ${(error as Error).message}`,
      {
        code: 'prototype/donor-out',
        kept: 'The donor may be stopped, cordoned or marked; its previous state is recorded on it.',
        next: `headstart prototype recover --node ${context.intent.nodeName}`,
        exitCode: 4,
        cause: because,
      },
    );
  }
}

/** Prevents a false alarm: a run that lost its hold cannot change anything, but its donor is usually in service already. */
async function isDonorRestored({ intent, donor, run, deps }: RunContext): Promise<boolean> {
  const uninterrupted = { ...deps, signal: new AbortController().signal };
  const world = await observeWorld(intent, donor, uninterrupted).catch(() => undefined);
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
  return new UserError(`step "${step.title}" has not finished after ${attempts} attempts`, {
    code: 'prototype/stuck',
    kept: 'The donor is in service; resources created so far are kept.',
    next: 'check the cloud for the reason, then run the same command again: it resumes',
    exitCode: 4,
  });
}
