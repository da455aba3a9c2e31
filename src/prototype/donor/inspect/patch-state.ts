// prototype/donor/inspect/patch-state.ts: is an inspected node patched, and has it run with its patches? Unknown is not patched.
import { formatSpan } from '../../../base/duration.ts';
import { compareReleases } from '../patched.ts';
import type { Inspection } from './inspection.ts';

export interface PatchState {
  state: 'patched' | 'unpatched' | 'unknown';
  /** Why it is not patched. */
  reasons: string[];
  /** What could not be found out; not empty if the state is unknown. */
  unknown: string[];
  /** What was checked and found good. */
  checked: string[];
}

/** So long the node has to run with its newest packages, unless the operator says otherwise (`--ready-for`). */
const RUN_IN_MS = 3_600_000;
/** Older lists say nothing about the patches of the last days. */
const STALE_LISTS_MS = 7 * 24 * 3_600_000;

export function patchState({ kernel, rebootRequired, patches }: Inspection, runInMs = RUN_IN_MS): PatchState {
  const found = { reasons: [] as string[], unknown: [] as string[], checked: [] as string[] };
  if (rebootRequired) found.reasons.push(`a reboot is pending (${rebootRequired.file})`);
  judgeKernel(kernel, patches.kernels, found);
  judgeUpdates(patches, found);
  judgeRun(patches, runInMs, found);
  const state = found.reasons.length > 0 ? 'unpatched' : found.unknown.length > 0 ? 'unknown' : 'patched';
  return { state, ...found };
}

type Findings = Omit<PatchState, 'state'>;

/** Only kernels of one flavour replace each other: `-azure` and `-generic` have numbers of their own. */
function judgeKernel(running: string, installed: readonly string[], { reasons, unknown, checked }: Findings): void {
  const alike = installed.filter((release) => flavourOf(release) === flavourOf(running));
  const newest = alike.toSorted(compareReleases).at(-1);
  if (newest === undefined) unknown.push('no kernel of its kind was found on its disk');
  else if (compareReleases(running, newest) < 0) reasons.push(`it runs kernel ${running}, but ${newest} is installed`);
  else checked.push(`it runs the newest installed kernel (${running})`);
}

function flavourOf(release: string): string {
  return release.replace(/[^a-z]/gi, '').toLowerCase();
}

function judgeUpdates({ updates, nowMs }: Inspection['patches'], { reasons, unknown, checked }: Findings): void {
  if (!updates?.isKnown) {
    unknown.push(`pending updates (${updates ? `${updates.manager}: ${updates.because}` : 'not looked at'})`);
    return;
  }
  const { manager, count, security, listsMs } = updates;
  const lists = `${manager} lists${listsMs === undefined ? '' : ` of ${dayOf(listsMs)}`}`;
  if (count > 0) {
    const urgent = security ? `, ${security} of them for security` : '';
    reasons.push(`${count} ${count === 1 ? 'update is' : 'updates are'} pending${urgent} (${lists})`);
  } else if (listsMs === undefined || (nowMs !== undefined && nowMs - listsMs > STALE_LISTS_MS)) {
    unknown.push(`updates newer than its ${lists}`);
  } else checked.push(`no update is pending (${lists})`);
}

function judgeRun(patches: Inspection['patches'], runInMs: number, { reasons, unknown, checked }: Findings): void {
  const { nowMs, bootedMs, changedMs } = patches;
  if (nowMs === undefined || bootedMs === undefined || changedMs === undefined) {
    unknown.push('when its packages last changed');
    return;
  }
  const sinceMs = Math.max(0, nowMs - changedMs);
  const since = changedMs > bootedMs ? 'after its last start' : 'before its last start';
  if (sinceMs < runInMs && nowMs - bootedMs >= sinceMs)
    reasons.push(`packages changed ${formatSpan(Math.floor(sinceMs / 1000) * 1e6)} ago: it has not run with them yet`);
  else checked.push(`its packages last changed on ${dayOf(changedMs)}, ${since}`);
}

function dayOf(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10);
}

/** One line for people. */
export function describePatchState({ state, reasons, unknown, checked }: PatchState): string {
  const rest = [...unknown.map((what) => `unknown: ${what}`), ...checked];
  switch (state) {
    case 'unpatched':
      return `no: ${reasons.join('; ')}`;
    case 'unknown':
      return rest.join('; ');
    case 'patched':
      return `yes: ${checked.join('; ')}`;
  }
}
