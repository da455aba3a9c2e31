// node/apply/execute.ts: how are the steps of a plan executed on a node? In order; adjacent steps of the same kind
// share one command. Every step is idempotent.
import { dirname } from 'node:path';
import type { Argv } from '../../base/command.ts';
import { KUBELET } from '../desired/aspects/aspect.ts';
import type { PlanStep } from '../desired/tree.ts';
import { asStepFailed, StepFailed } from './failures.ts';
import { isKubeletFailing } from './steps/kubelet-failing.ts';
import { clearValue, setValue } from './steps/set-value.ts';
import type { StagedFiles } from './steps/stage.ts';
import { command, type ExecutionDeps, hasSucceeded, pathBelowRoot } from './steps/step-command.ts';
import type { Transaction } from './transaction.ts';

export interface ExecutionContext {
  deps: ExecutionDeps;
  staged: StagedFiles;
  /** A rollback continues after a failed step, unless a file could not be written. */
  isRollback: boolean;
  /** kubelet has not started in this boot. Units may be ordered after kubelet or this daemon, so waiting for them would deadlock. */
  isBeforeKubelet: boolean;
  /** The machine rebooted since the steps were planned; units that have not started yet will read the new files. */
  isLaterBoot: boolean;
  time: Transaction['time'];
}

export interface ExecutionResult {
  /** Folders in which a name was added or removed. */
  touched: Set<string>;
  /** The node was drained and could not be uncordoned. */
  owesUncordon: boolean;
  /** Taken just before kubelet was restarted. */
  kubeletSinceMs?: number | undefined;
  /** Failures of a rollback. It continues after them, so that one failing unit does not prevent the rollback of the files. */
  troubles: string[];
}

/** Executes every kind of step except a reboot, which journal.ts requests. Throws a StepFailed. */
export async function execute(steps: readonly PlanStep[], context: ExecutionContext): Promise<ExecutionResult> {
  const result: ExecutionResult = { touched: new Set(), owesUncordon: false, troubles: [] };
  for (const batch of batches(steps)) {
    await context.time(nameOf(batch), () => doBatch(batch, context, result));
  }
  return result;
}

/** Steps of the same kind. */
type Batch = readonly [PlanStep, ...PlanStep[]];

function batches(steps: readonly PlanStep[]): Batch[] {
  const all: [PlanStep, ...PlanStep[]][] = [];
  for (const step of steps) {
    const last = all.at(-1);
    if (last !== undefined && kindOf(last[0]) === kindOf(step)) last.push(step);
    else all.push([step]);
  }
  return all;
}

function kindOf(step: PlanStep): string {
  switch (step.do) {
    case 'make-folder':
    case 'write-file':
    case 'make-link':
    case 'remove-file':
    case 'remove-folder':
      return 'write-files';
    case 'set':
      return step.kind.startsWith('unit-') ? `${step.kind}-${step.value}` : step.kind;
    case 'clear':
      return step.kind;
    default:
      return step.do;
  }
}

const VERB: Readonly<Record<string, string>> = {
  'restart-unit': 'restart',
  'reload-unit': 'try-reload-or-restart',
  'stop-unit': 'stop',
  'start-unit': 'start',
  'unit-active-yes': 'start',
  'unit-active-no': 'stop',
  'unit-enabled-yes': 'reenable',
  'unit-enabled-no': 'disable',
};

const STARTS = ['restart-unit', 'start-unit', 'unit-active-yes'];

/** The name of a timing; never rename it. */
function nameOf(batch: Batch): string {
  const kind = kindOf(batch[0]);
  const verb = VERB[kind];
  return verb === undefined ? kind : [verb, ...batch.map(unitOf)].join(' ');
}

function unitOf(step: PlanStep): string {
  return 'unit' in step ? step.unit : 'key' in step ? step.key : '';
}

async function doBatch(batch: Batch, context: ExecutionContext, result: ExecutionResult): Promise<void> {
  const kind = kindOf(batch[0]);
  if (kind in VERB) {
    const units = batch.map(unitOf);
    if (units.includes(KUBELET) && STARTS.includes(kind)) result.kubeletSinceMs = context.deps.clock.nowMs();
    return attempt(() => switchUnits(kind, units, context), context, result);
  }
  if (kind === 'module') return attempt(() => loadModules(batch.map(unitOf), context), context, result);
  for (const step of batch) await attempt(() => doOne(step, context, result), context, result);
}

async function attempt(
  act: () => Promise<void>,
  { isRollback }: ExecutionContext,
  { troubles }: ExecutionResult,
): Promise<void> {
  try {
    await act();
  } catch (error) {
    const canContinue = isRollback && error instanceof StepFailed && !FILE_FAILURES.includes(error.code);
    if (!canContinue) throw error;
    troubles.push(error.message);
  }
}

const FILE_FAILURES: readonly StepFailed['code'][] = ['apply/disk-full', 'apply/write-failed'];

async function doOne(step: PlanStep, context: ExecutionContext, result: ExecutionResult): Promise<void> {
  const { deps, staged } = context;
  switch (step.do) {
    case 'make-folder':
    case 'write-file':
    case 'make-link':
    case 'remove-file':
    case 'remove-folder':
    case 'remove-state':
      return changeFile(step, context, result);
    case 'drain':
      if (context.isLaterBoot) return; // no pod runs yet
      if (await isKubeletFailing(deps)) return; // a failing kubelet terminates no pods
      try {
        return await deps.node.drain();
      } catch (cause) {
        throw new StepFailed('apply/drain-failed', `the node could not be drained: ${messageOf(cause)}`, cause);
      }
    case 'uncordon':
      // Uncordon only once kubelet runs; `owesUncordon` records that it is still to do.
      result.owesUncordon = context.isBeforeKubelet || !(await hasSucceeded(() => deps.node.uncordon()));
      return;
    case 'set':
      return setValue(step, { deps, staged, touched: result.touched });
    case 'clear':
      return clearValue(step, { deps, staged, touched: result.touched });
    case 'daemon-reload':
      return command(['systemctl', 'daemon-reload'], deps);
    case 'update-trust':
      return command(['update-ca-certificates'], deps);
    case 'apply-tmpfiles':
      return command(['systemd-tmpfiles', '--create', '--', pathBelowRoot(step.path, deps)], deps);
    default:
      throw new Error(`cannot execute ${step.do} as a single step`);
  }
}

type FileStep = Extract<PlanStep, { path: string }>;

function changeFile(step: FileStep, { deps: { disk }, staged }: ExecutionContext, { touched }: ExecutionResult): void {
  const { path } = step;
  const stagedFile = staged.get(path);
  touched.add(dirname(path));
  try {
    // 'make-folder' needs nothing here: staging has made the folder.
    if (step.do === 'remove-folder') disk.removeFolder(path);
    else if (step.do === 'remove-file' || step.do === 'remove-state') disk.remove(path);
    else if (stagedFile !== undefined) disk.rename(stagedFile, path);
  } catch (error) {
    throw asStepFailed(error, path);
  }
}

/** One command for all units: systemd then orders them by their dependencies. */
async function switchUnits(kind: string, units: readonly string[], context: ExecutionContext): Promise<void> {
  const { isBeforeKubelet, isLaterBoot, isRollback, deps } = context;
  const isStart = STARTS.includes(kind);
  const verb = kind === 'restart-unit' && isLaterBoot ? 'try-restart' : VERB[kind]!;
  // systemd refuses to start a unit that hit its start limit, even if its files are fixed.
  if (isRollback && isStart) await deps.run(['systemctl', 'reset-failed', '--', ...units]);
  const isWaitedFor = !isBeforeKubelet || kind.startsWith('unit-enabled');
  const argv: Argv = ['systemctl', ...(isWaitedFor ? [] : ['--no-block']), verb, '--', ...units];
  const isOfUnit = isStart || kind === 'reload-unit';
  await command(argv, deps, { code: isOfUnit ? 'verify/unit-failed' : 'apply/command-failed' });
}

function loadModules(modules: readonly string[], { deps }: ExecutionContext): Promise<void> {
  return command(['modprobe', '--all', '--', ...modules], deps);
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
