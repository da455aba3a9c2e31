// node/apply/execute.ts: how are the steps of a plan executed on a real node? In order; one command does neighbours of the same kind;
// every step may be executed again.
import { dirname } from 'node:path';
import type { Argv } from '../../base/command.ts';
import { KUBELET } from '../desired/aspects/aspect.ts';
import type { Step } from '../desired/tree.ts';
import { asStepFailed, StepFailed } from './failures.ts';
import { isKubeletFailing } from './steps/kubelet-failing.ts';
import { clearValue, setValue } from './steps/set-value.ts';
import type { StagedFiles } from './steps/stage.ts';
import { command, type ExecutionDeps, hasSucceeded, pathBelowRoot } from './steps/step-command.ts';
import type { Transaction } from './transaction.ts';

export interface ExecutionContext {
  deps: ExecutionDeps;
  staged: StagedFiles;
  /** A change is taken back: what cannot be helped is no reason to stop. */
  isRollback: boolean;
  /** kubelet has not started in this boot: units that wait for it, or for us, are not waited for. */
  isBeforeKubelet: boolean;
  /** The machine booted since the steps were planned: what has not started yet will read the new files by itself. */
  isLaterBoot: boolean;
  time: Transaction['time'];
}

export interface ExecutionResult {
  /** Folders with new or fewer names in them. */
  touched: Set<string>;
  /** The node was drained, and nobody could be told that it is back. */
  owesUncordon: boolean;
  /** Just before kubelet was started anew. */
  kubeletSinceMs?: number | undefined;
  /** What a way back could not help; it does all it can, so that one unit does not keep the files of all others. */
  troubles: string[];
}

/** Every kind of step but a reboot, for which journal.ts asks. Throws a StepFailed. */
export async function execute(steps: readonly Step[], context: ExecutionContext): Promise<ExecutionResult> {
  const result: ExecutionResult = { touched: new Set(), owesUncordon: false, troubles: [] };
  for (const batch of batches(steps)) {
    await context.time(nameOf(batch), () => doBatch(batch, context, result));
  }
  return result;
}

/** At least one, all of the same kind. */
type Batch = readonly [Step, ...Step[]];

function batches(steps: readonly Step[]): Batch[] {
  const all: [Step, ...Step[]][] = [];
  for (const step of steps) {
    const last = all.at(-1);
    if (last !== undefined && kindOf(last[0]) === kindOf(step)) last.push(step);
    else all.push([step]);
  }
  return all;
}

function kindOf(step: Step): string {
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

/** Of a timing: never renamed. */
function nameOf(batch: Batch): string {
  const kind = kindOf(batch[0]);
  const verb = VERB[kind];
  return verb === undefined ? kind : [verb, ...batch.map(unitOf)].join(' ');
}

function unitOf(step: Step): string {
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
    const isHelpless = isRollback && error instanceof StepFailed && !FILE_FAILURES.includes(error.code);
    if (!isHelpless) throw error;
    troubles.push(error.message);
  }
}

const FILE_FAILURES: readonly StepFailed['code'][] = ['apply/disk-full', 'apply/write-failed'];

async function doOne(step: Step, context: ExecutionContext, result: ExecutionResult): Promise<void> {
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
      if (await isKubeletFailing(deps)) return; // nobody would end a pod
      try {
        return await deps.node.drain();
      } catch (cause) {
        throw new StepFailed('apply/drain-failed', `the node could not be drained: ${messageOf(cause)}`, cause);
      }
    case 'uncordon':
      // Not before kubelet runs again: until then it is owed.
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
      throw new Error(`${step.do} is not done one by one`);
  }
}

type FileStep = Extract<Step, { path: string }>;

function changeFile(step: FileStep, { deps: { disk }, staged }: ExecutionContext, { touched }: ExecutionResult): void {
  const { path } = step;
  const waiting = staged.get(path);
  touched.add(dirname(path));
  try {
    // A folder was made when its files were put beside the old ones.
    if (step.do === 'remove-folder') disk.removeFolder(path);
    else if (step.do === 'remove-file' || step.do === 'remove-state') disk.remove(path);
    else if (waiting !== undefined) disk.rename(waiting, path);
  } catch (error) {
    throw asStepFailed(error, path);
  }
}

/** systemd sorts those it is told together by what they want of each other. */
async function switchUnits(kind: string, units: readonly string[], context: ExecutionContext): Promise<void> {
  const { isBeforeKubelet, isLaterBoot, isRollback, deps } = context;
  const isStart = STARTS.includes(kind);
  const verb = kind === 'restart-unit' && isLaterBoot ? 'try-restart' : VERB[kind]!;
  // One that crashed too often would not start, whatever its files say now.
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
