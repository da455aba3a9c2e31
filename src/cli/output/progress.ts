// cli/output/progress.ts: how does a long verb show what it does, what it waits for, and for how long? The only file that
// writes over a line of the terminal.
import type { WaitReporter } from '../../base/call-options.ts';
import { formatSpan } from '../../base/duration.ts';
import type { CliDeps } from '../verb.ts';
import { cutTo } from './display-width.ts';
import { printJsonLine } from './json.ts';
import { screenOf } from './screen.ts';
import { printable } from './table.ts';

export interface Progress {
  step(what: string): void;
  /** What calls of every domain take as `onWaiting`; on a terminal it goes on in place. */
  waiting: WaitReporter;
  end(): void;
}

/** One line of `--json`, without its kind. */
export type ProgressEvent =
  | { event: 'step'; what: string }
  | { event: 'waiting'; for: string; percent: number | undefined };

/** Lines for people on stderr; with `json`, events of this kind on stdout, the same wait only once in a row. */
export function showProgress(deps: CliDeps, kind: string, { json }: { json?: boolean | undefined }): Progress {
  if (!json) return progressLines(deps);
  const print = (event: ProgressEvent) => printJsonLine(deps, kind, event);
  let last = '';
  return {
    step(what) {
      last = '';
      print({ event: 'step', what });
    },
    waiting(what, percent) {
      const text = awaited(what, percent);
      if (text !== last) print({ event: 'waiting', for: what, percent });
      last = text;
    },
    end: () => undefined,
  };
}

export interface ProgressLines extends Progress {
  /** A line that begins no step. */
  line(what: string): void;
  /** A line about the step that runs. */
  detail(what: string): void;
}

export interface LineOptions {
  /** On a terminal: behind a wait, the time since its step began. */
  showsStepTime?: boolean;
  /** Where lines stay: the same wait is a line again after a new step, or after half a minute without a line. */
  repeatsWaits?: boolean;
}

export function progressLines(
  deps: CliDeps,
  { showsStepTime = false, repeatsWaits = true }: LineOptions = {},
): ProgressLines {
  const startedUs = deps.nowUs();
  const { columns } = screenOf(deps, 'stderr');
  let [stepUs, lineUs] = [startedUs, startedUs];
  let last = '';
  let isInPlace = false;
  const elapsed = () => formatSpan(Math.round((deps.nowUs() - startedUs) / 1e6) * 1e6).padStart(9);
  const print = (text: string) => {
    deps.stderr(`${isInPlace ? CLEAR : ''}${elapsed()}${text}\n`);
    isInPlace = false;
    lineUs = deps.nowUs();
  };
  const line = (what: string) => print(`  ${printable(what)}`);
  return {
    line,
    detail: (what) => print(`    ${printable(what)}`),
    step(what) {
      stepUs = deps.nowUs();
      if (repeatsWaits) last = '';
      line(what);
    },
    waiting(what, percent) {
      const text = `    waiting for ${awaited(what, percent)}`;
      const isNews = text !== last || (repeatsWaits && deps.nowUs() - lineUs >= SILENCE_US);
      last = text;
      if (deps.isTerminal.stderr) {
        const since = showsStepTime ? ` (${formatSpan(deps.nowUs() - stepUs)})` : '';
        // A line that wraps cannot be written over: CLEAR clears only the last row of it.
        deps.stderr(`${CLEAR}${cutTo(`${elapsed()}${text}`, columns - since.length - 1)}${since}`);
        isInPlace = true;
      } else if (isNews) print(text);
    },
    end() {
      if (isInPlace) deps.stderr(CLEAR);
      isInPlace = false;
    },
  };
}

/** For a wait that belongs to no step, such as a cloud that asks to slow down: a line each, the same one only once in a row. */
export function showWaiting({ stderr, isTerminal }: Pick<CliDeps, 'stderr' | 'isTerminal'>): WaitReporter {
  let last = '';
  return (what) => {
    const text = `waiting: ${printable(what)}`;
    if (text === last) return;
    last = text;
    // Progress of the verb may be on this line of the terminal.
    stderr(`${isTerminal.stderr ? CLEAR : ''}${text}\n`);
  };
}

/** Repeats the last wait every second until `stop`: a call may be silent for minutes while the time on the terminal goes on. */
export function everySecond(tell: WaitReporter): { waiting: WaitReporter; stop: () => void } {
  let last: Parameters<WaitReporter> | undefined;
  const timer = setInterval(() => last && tell(...last), 1000);
  return {
    waiting: (...told) => {
      last = told;
      tell(...told);
    },
    stop: () => clearInterval(timer),
  };
}

function awaited(what: string, percent: number | undefined): string {
  return printable(percent === undefined ? what : `${what} ${percent}%`);
}

/** A log without a new line for this long looks like a verb that hangs. */
const SILENCE_US = 30e6;
const CLEAR = '\r\u001b[K';
