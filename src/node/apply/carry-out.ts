// node/apply/carry-out.ts: how is a change made that may be cut off at any moment? What is to be done was written down before; new
// files are put beside the old ones, then the steps are done in order, then what is true now is recorded. Done again from the start after
// a crash, it ends the same.
import type { Edges } from './contract.ts';
import { type Doing, doSteps } from './do-steps.ts';
import { asStepFailed, StepFailed } from './failures.ts';
import type { Folder } from './folder.ts';
import type { Journal, State } from './records.ts';
import { stage, unstage } from './stage.ts';

export interface Carrying {
  edges: Edges;
  folder: Folder;
  time: Doing['time'];
}

export type Carried =
  | { kind: 'done'; state: State; troubles: readonly string[] }
  /** The rest comes after the boot. */
  | { kind: 'rebooting' }
  /** Nothing was changed, and nothing of the change is left. */
  | { kind: 'not-begun'; failure: StepFailed }
  /** Some of it was done. */
  | { kind: 'failed'; failure: StepFailed }
  /** All of it was done, but could not be recorded; the journal is still there for that. */
  | { kind: 'unrecorded'; failure: StepFailed };

/** The journal is on disk already. */
export async function carryOut(journal: Journal, { edges, folder, time }: Carrying): Promise<Carried> {
  const { before, after } = aroundReboot(journal, edges.bootId);
  const isLaterBoot = journal.bootId !== edges.bootId;
  let touched: Set<string>;
  let owesUncordon = journal.after.owesUncordon;
  let kubeletSinceMs: number | undefined;
  const troubles: string[] = [];
  try {
    const staged = await time('stage', () => stage(journal.steps, edges)).catch((error) => {
      throw new NotStaged(error);
    });
    const doing: Doing = {
      edges,
      staged,
      isWayBack: journal.kind === 'back',
      isBeforeKubelet: journal.isBeforeKubelet || isLaterBoot,
      isLaterBoot,
      time,
    };
    const first = await doSteps(before, doing);
    touched = first.touched;
    if (after !== undefined) {
      await edges.disk.syncFolders([...touched]);
      await folder.writeJournal({ ...journal, rebootAskedIn: edges.bootId });
      await edges.reboot();
      return { kind: 'rebooting' };
    }
    troubles.push(...first.troubles);
    owesUncordon ||= first.owesUncordon;
    // It starts once we are done, or did when it was told to.
    kubeletSinceMs = doing.isBeforeKubelet ? edges.clock.nowMs() : first.kubeletSinceMs;
  } catch (error) {
    const isNotStaged = error instanceof NotStaged;
    const failure = asStepFailed(isNotStaged ? error.cause : error, 'a file of the change could not be written');
    if (!(failure instanceof StepFailed)) throw failure;
    // A second attempt may come after some steps of the first, and a way back comes after some steps of the way there.
    const isBegun = !isNotStaged || journal.attempts > 1 || journal.kind === 'back';
    if (isBegun) return { kind: 'failed', failure };
    unstage(journal.steps, edges.disk);
    await folder.dropJournal();
    return { kind: 'not-begun', failure };
  }
  const state = asOfNow({ ...journal.after, owesUncordon }, kubeletSinceMs, edges);
  try {
    await time('commit', () => folder.finish(state, journal.generation, touched));
  } catch (error) {
    const failure = asStepFailed(error, 'the change was made, and could not be recorded');
    if (!(failure instanceof StepFailed)) throw failure;
    return { kind: 'unrecorded', failure };
  }
  return { kind: 'done', state, troubles };
}

class NotStaged extends Error {
  constructor(cause: unknown) {
    super('not staged', { cause });
  }
}

/** `after` is undefined where no reboot comes next: there is none among the steps, or it has happened. */
function aroundReboot({ steps, rebootAskedIn }: Journal, bootId: string) {
  const at = steps.findIndex((step) => step.do === 'reboot');
  if (at < 0) return { before: steps, after: undefined };
  const rest = steps.slice(at + 1);
  const hasRebooted = rebootAskedIn !== undefined && rebootAskedIn !== bootId;
  return hasRebooted ? { before: rest, after: undefined } : { before: steps.slice(0, at), after: rest };
}

/** Health is watched from when the last step was done, in the boot in which it was. */
function asOfNow(state: State, kubeletSinceMs: number | undefined, { clock, bootId }: Edges): State {
  const { watch } = state.slots;
  if (watch === undefined) return state;
  const sinceMs = clock.nowMs();
  const keepByMs = watch.keepByMs === undefined ? undefined : sinceMs + (watch.keepByMs - watch.sinceMs);
  return { ...state, slots: { ...state.slots, watch: { ...watch, sinceMs, kubeletSinceMs, bootId, keepByMs } } };
}
