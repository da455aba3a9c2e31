// prototype/run/engine.ts: observe, plan, apply the next step, repeat. After any failure it restores the donor first.
import type { Clock } from '../../base/clock.ts';
import { TransientError, UserError } from '../../base/errors.ts';
import { LeaseHeld } from '../../cluster/lease-held.ts';
import type { InstanceRef } from '../../vms/pools.ts';
import { DONOR_TAG } from '../names.ts';
import { fencedCluster, fencedProvider, requireHold } from './fence.ts';
import { backgroundRenewal, type Hold, holdRenewal, withPoolHold } from './hold-pool.ts';
import { limitNotes } from './limits.ts';
import { observeWorld } from './observe.ts';
import { RESTORE } from './pipeline.ts';
import { nextStep, planSteps } from './plan.ts';
import { refusals } from './preflight.ts';
import { readDonorMark, readPrior } from './prior.ts';
import type { RunEvent, RunEventListener } from './run-event.ts';
import { adoptedIntent, type Intent, type Run, type Scene, targetVersionName } from './scene.ts';
import type { Step, StepDeps } from './step.ts';
import { MAX_ATTEMPTS, mayPass, pauseBeforeRetry, withRetries } from './with-retries.ts';

export type { RunEvent } from './run-event.ts';

export interface EngineDeps extends Omit<StepDeps, 'onWaiting'> {
  onEvent: RunEventListener;
  /** Aborted by a second interrupt, which also ends the restore of the donor. */
  restoreSignal?: AbortSignal | undefined;
}

export interface RunResult {
  version: string;
  steps: string[];
  /** What the run could not do and went on without. */
  warnings: string[];
}

/** More than for other steps: a start may fail for lack of capacity for a long time. */
const RESTORE_ATTEMPTS = 60;
/** Waiting steps repeat without an attempt limit. After this time the run counts as stuck. */
const LONGEST_MS = 8 * 3_600_000;
/** How often a run that has to restore its donor asks whether another run has released the pool. */
const HELD_POLL_MS = 60_000;

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
    const context = { intent, donor, deps: heldDeps(deps, hold), hold, done, memory: newMemory() };
    try {
      const scene = await runSteps({ ...context, run: { id: runId, isAborting: false } });
      return { version: scene.intent.version, steps: done, warnings: context.memory.warnings };
    } catch (error) {
      await restoreDonor(error, { ...context, run: { id: runId, isAborting: true } });
      throw error instanceof LeaseHeld && done.length > 0 ? lostPool(error) : error;
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
  const deps = heldDeps({ ...context.deps, onEvent: ignoringErrors(context.deps.onEvent) }, context.hold);
  await runSteps({ ...context, deps, run: { id: runId, isAborting: true }, done, memory: newMemory() });
  return done;
}

interface RunContext {
  intent: Intent;
  donor: InstanceRef;
  run: Run;
  deps: EngineDeps;
  hold: Hold;
  done: string[];
  memory: Memory;
}

/** What only this process knows. Everything else is read from the world. */
interface Memory {
  /** A stop was ordered and the donor has not been restored since. */
  mayStopLate: boolean;
  gaveUp: Set<string>;
  warnings: string[];
  /** When each step became the next one. */
  sinceMs: Map<string, number>;
}

function newMemory(): Memory {
  return { mayStopLate: false, gaveUp: new Set(), warnings: [], sinceMs: new Map() };
}

/** Sends changes only while the hold lasts, and renews the hold in long pauses. */
function heldDeps(deps: EngineDeps, hold: Hold): EngineDeps {
  const clock: Clock = {
    nowMs: () => deps.clock.nowMs(),
    async sleep(ms, signal) {
      const { ifDue } = holdRenewal(hold, deps.clock);
      for (let leftMs = ms; leftMs > 0; leftMs -= PAUSE_MS) {
        await deps.clock.sleep(Math.min(leftMs, PAUSE_MS), signal);
        if (leftMs > PAUSE_MS) await ifDue().catch(() => undefined);
      }
    },
  };
  const seal: EngineDeps['seal'] = async (...args) => {
    requireHold(hold);
    await deps.seal(...args);
  };
  return { ...deps, ...fencedProvider(deps, hold), cluster: fencedCluster(deps.cluster, hold), seal, clock };
}

const PAUSE_MS = 5 * 60_000;

async function runSteps(context: RunContext): Promise<Scene> {
  const { donor, deps, hold, done, memory } = context;
  const { isAborting } = context.run;
  const endMs = deps.clock.nowMs() + LONGEST_MS;
  const patientUntilMs = isAborting ? endMs : 0;
  const attempts = new Map<string, number>();
  let { intent } = context;
  let problem: string | undefined;
  for (;;) {
    await withRetries('hold-lease', hold.renew, deps, patientUntilMs);
    let world = await withRetries('observe', () => observeWorld(intent, donor, deps), deps, patientUntilMs);
    const run: Run = { ...context.run, mayStopLate: memory.mayStopLate, gaveUp: memory.gaveUp };
    const adopted = isAborting ? undefined : adoptedIntent({ world, intent, run });
    if (adopted) {
      deps.onEvent({ event: 'donor', node: adopted.nodeName, because: 'it was deleted after its disk was copied' });
      intent = adopted;
      continue;
    }
    let scene: Scene = { world, intent, run };
    let next = nextStep(scene);
    if (next?.look) {
      const { look } = next;
      const seen = await withRetries(next.id, () => look(scene, deps), deps, patientUntilMs);
      world = { ...world, ...seen };
      scene = { ...scene, world };
      next = nextStep(scene);
    }
    deps.onEvent({ event: 'plan', steps: planSteps(scene) });
    const isRestoring = next !== undefined && RESTORE.includes(next);
    if (!isRestoring) {
      if (memory.gaveUp.has('await-ready')) throw donorNotReady(intent);
      refuse(scene, done); // restoring a donor is never refused
      if (attempts.size === 0) for (const text of limitNotes(scene)) deps.onEvent({ event: 'note', text });
      // Finish the version that an earlier run began, even if the date has changed since.
      intent = { ...intent, version: targetVersionName(scene) };
    }
    if (!next) return scene;
    const attempt = (attempts.get(next.id) ?? 0) + 1;
    attempts.set(next.id, attempt);
    problem = next.problem?.(scene) ?? problem;
    if (next.problem) deps.onEvent({ event: 'problem', step: next.id, problem: next.problem(scene) });
    const most = next.maxAttempts ?? (isRestoring ? RESTORE_ATTEMPTS : MAX_ATTEMPTS);
    const limitMs = limitOf(next, memory, deps.clock.nowMs(), endMs);
    if ((!next.isWaiting && attempt > most) || deps.clock.nowMs() > limitMs) {
      if (!next.isSkippable) throw stuck(next, { attempts: attempt - 1, problem, isAborting });
      memory.gaveUp.add(next.id);
      continue;
    }
    await perform(next, scene, context, { attempt, most, isRestoring });
    if (next.poll) await keepWaiting(next, scene, context, limitMs);
    if (attempt === 1) done.push(next.id);
    const kubeEvent = EVENTS[next.id];
    if (kubeEvent && attempt === 1 && world.node)
      await deps.cluster.recordEvent(world.node, kubeEvent.reason, kubeEvent.message).catch(() => undefined);
  }
}

/** Until when the step may take. Its time begins again if another step was next in between. */
function limitOf({ id, giveUpAfterMs }: Step, { sinceMs }: Memory, nowMs: number, endMs: number): number {
  const beganMs = sinceMs.get(id) ?? nowMs;
  sinceMs.clear();
  sinceMs.set(id, beganMs);
  return Math.min(endMs, beganMs + (giveUpAfterMs ?? Number.POSITIVE_INFINITY));
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

/** One attempt. After a failure that may pass it pauses and the run plans again, because the state may have changed. */
async function perform(
  step: Step,
  scene: Scene,
  context: RunContext,
  { attempt, most, isRestoring }: { attempt: number; most: number; isRestoring: boolean },
): Promise<void> {
  const { deps, memory } = context;
  const changes = step.changes?.(scene);
  deps.onEvent({ event: 'step', step: step.id, title: step.title, attempt, ...(changes && { changes }) });
  const warning = attempt === 1 ? step.warning?.(scene) : undefined;
  if (warning !== undefined) deps.onEvent({ event: 'warning', step: step.id, warning });
  if (step.id === 'stop-donor') memory.mayStopLate = true;
  try {
    await apply(step, scene, context);
    if (step.id === 'restore-node') memory.mayStopLate = false;
  } catch (error) {
    const mayRetry = isRestoring ? mayPass(error) : error instanceof TransientError;
    if ((!mayRetry || attempt >= most) && step.isOptional?.(scene) && mayPass(error)) {
      goOnWithout(step, error as Error, context);
      return;
    }
    if (!mayRetry || attempt >= most) throw error;
    await pauseBeforeRetry(step.id, error as Error, attempt, deps);
  }
}

function goOnWithout({ id, title }: Step, { message }: Error, { deps, memory }: RunContext): void {
  memory.gaveUp.add(id);
  memory.warnings.push(`${title}: ${message}`);
  deps.onEvent({ event: 'problem', step: id, problem: message });
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
  const signal = deps.restoreSignal ?? new AbortController().signal;
  const endMs = deps.clock.nowMs() + LONGEST_MS;
  for (;;) {
    try {
      await runSteps({ ...context, deps: { ...deps, onEvent, signal } });
      return;
    } catch (error) {
      if (!signal.aborted && (await isDonorRestored(context))) {
        if (error instanceof UserError && error.code === NOT_READY) throw error;
        return;
      }
      const isHeld = error instanceof LeaseHeld && deps.clock.nowMs() < endMs;
      if (!isHeld || !(await hasPaused(error, { ...deps, signal }))) throw donorOut(reason, error as Error, context);
    }
  }
}

/** Another run holds the pool: its hold has to end first. false: interrupted. */
async function hasPaused(error: LeaseHeld, { clock, signal, onEvent }: EngineDeps): Promise<boolean> {
  onEvent({ event: 'retry', step: 'hold-lease', attempt: 1, inMs: HELD_POLL_MS, because: error.message });
  return clock.sleep(HELD_POLL_MS, signal).then(
    () => true,
    () => false,
  );
}

function donorOut(reason: string, error: Error, { intent: { nodeName } }: RunContext): UserError {
  return new UserError(
    `the run failed (${reason}), and the donor ${nodeName} could not be returned to service: ${error.message}`,
    {
      code: 'prototype/donor-out',
      kept: 'The donor may be stopped, cordoned or marked; its previous state is recorded on it.',
      next: `headstart prototype recover --node ${nodeName}`,
      exitCode: 4,
      cause: error,
    },
  );
}

/** The hold was lost during the run, for example because the machine slept. */
function lostPool(error: LeaseHeld): UserError {
  return new UserError(`another run took the pool: ${error.message}`, {
    code: error.code,
    kept: 'No donor of this run is left out of service; resources created so far are kept.',
    next: error.next ?? 'run the same command again: it resumes',
    exitCode: 4,
    cause: error,
  });
}

const NOT_READY = 'prototype/donor-not-ready';

function donorNotReady({ nodeName }: Intent): UserError {
  return new UserError(`${nodeName} was started and has its previous state, but has not become Ready`, {
    code: NOT_READY,
    kept: 'The pool was not changed.',
    next: `kubectl describe node ${nodeName} may say why; then run the same command again`,
    exitCode: 4,
  });
}

/** Whether this run has nothing to restore: the donor is in service, or another run has taken it. */
async function isDonorRestored({ intent, donor, run, deps, memory }: RunContext): Promise<boolean> {
  const uninterrupted = { ...deps, signal: new AbortController().signal };
  const world = await observeWorld(intent, donor, uninterrupted).catch(() => undefined);
  if (!world) return false;
  const mark = readPrior(world.node) ?? readDonorMark(world.donor?.tags[DONOR_TAG]);
  if (mark) return mark.run !== run.id && mark.run === world.lease?.holder;
  return nextStep({ world, intent, run: { ...run, mayStopLate: memory.mayStopLate } }) === undefined;
}

function refuse(scene: Scene, done: readonly string[]): void {
  const [first, ...others] = refusals(scene);
  if (!first) return;
  const more = others.map((other) => `; ${other.reason}`).join('');
  throw new UserError(`${first.reason}${more}`, {
    code: first.code,
    kept: done.length === 0 ? 'Nothing was changed.' : 'The pool still starts from its earlier model.',
    next: first.next,
    exitCode: 1,
  });
}

function stuck(
  step: Step,
  { attempts, problem, isAborting }: { attempts: number; problem: string | undefined; isAborting: boolean },
): UserError {
  const times = attempts === 1 ? '1 attempt' : `${attempts} attempts`;
  const message =
    problem === undefined
      ? `step "${step.title}" has not finished after ${times}`
      : `${problem}; given up after ${attempts + 1} tries`;
  return new UserError(message, {
    code: 'prototype/stuck',
    kept: isAborting
      ? 'The donor may be stopped, cordoned or marked; its previous state is recorded on it.'
      : 'No donor of this run is left out of service; resources created so far are kept.',
    next: 'check the cloud for the reason, then run the same command again: it resumes',
    exitCode: 4,
  });
}
