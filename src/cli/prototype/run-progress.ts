// cli/prototype/run-progress.ts: prints each event of a prototype run.
import { formatSpan } from '../../base/duration.ts';
import { describeModelChanges } from '../../prototype/run/model-diff.ts';
import type { RunEvent, RunEventListener } from '../../prototype/run/run-event.ts';
import { printJsonLine } from '../output/json.ts';
import { type ProgressLines, progressLines } from '../output/progress.ts';
import { printable } from '../output/table.ts';
import type { CliDeps } from '../verb.ts';

export type LogLevel = 'DEBUG' | 'INFO' | 'WARNING' | 'ERROR' | 'CRITICAL';

export function showRun(deps: CliDeps, options: { json?: boolean; logLevel: LogLevel }): RunEventListener {
  const lines = progressLines(deps, { showsStepTime: true, repeatsWaits: false });
  const usual = new Map<string, number>();
  return (event) => {
    if (options.json && event.event !== 'plan') {
      printJsonLine(deps, 'PrototypeEvent', event);
      return;
    }
    if (event.event === 'plan') for (const { id, usuallyMs } of event.steps) usual.set(id, usuallyMs);
    if (isShown(event, options.logLevel)) show(event, lines, usual);
  };
}

function show(event: RunEvent, lines: ProgressLines, usual: ReadonlyMap<string, number>): void {
  if (event.event === 'donor') lines.line(`the donor is ${event.node}: ${event.because}`);
  else if (event.event === 'note') lines.line(`note: ${event.text}`);
  else if (event.event === 'step' && event.attempt === 1) {
    lines.step(`${event.title}${usually(usual.get(event.step))}`);
    for (const change of describeModelChanges(event.changes ?? [])) lines.detail(change);
  } else if (event.event === 'waiting') lines.waiting(event.for, event.percent);
  else if (event.event === 'problem') lines.detail(event.problem);
  else if (event.event === 'retry') lines.detail(`${again(event)} (attempt ${event.attempt})`);
  else if (event.event === 'warning') lines.line(`warning: ${event.warning}`);
  else if (event.event === 'going-home') {
    lines.line(event.because);
    lines.line('returning the donor to service first (a second interrupt leaves it out of service)');
  }
}

/** For a verb without progress lines: prints only retries. */
export function showRetries({ stderr }: Pick<CliDeps, 'stderr'>): RunEventListener {
  return (event) => {
    if (event.event === 'retry') stderr(`waiting: ${printable(again(event))}\n`);
  };
}

function again({ because, inMs }: Extract<RunEvent, { event: 'retry' }>): string {
  return `${because}; retrying in ${formatSpan(inMs * 1000)}`;
}

/** Shorter steps need no estimate. */
const LONG_MS = 60_000;

function usually(ms: number | undefined): string {
  return ms === undefined || ms < LONG_MS ? '' : ` (usually ${formatSpan(ms * 1000)})`;
}

const LEVEL_OF: Readonly<Record<RunEvent['event'], LogLevel>> = {
  donor: 'INFO',
  note: 'WARNING',
  plan: 'DEBUG',
  step: 'INFO',
  waiting: 'INFO',
  problem: 'WARNING',
  retry: 'WARNING',
  warning: 'WARNING',
  'going-home': 'ERROR',
};
const ORDER: readonly LogLevel[] = ['DEBUG', 'INFO', 'WARNING', 'ERROR', 'CRITICAL'];

function isShown(event: RunEvent, level: LogLevel): boolean {
  return ORDER.indexOf(LEVEL_OF[event.event]) >= ORDER.indexOf(level);
}
