// cli/output/progress.ts: how does a long verb show what it does, what it waits for, and for how long? The only file that
// overwrites a line of the terminal.
import type { WaitReporter } from '../../base/call-options.ts';
import { formatSpan } from '../../base/duration.ts';
import type { CliDeps } from '../verb.ts';
import { cutTo } from './display-width.ts';
import { printJsonLine } from './json.ts';
import { screenOf } from './screen.ts';
import { printable } from './table.ts';

export interface Progress {
  step(what: string): void;
  /** Passed to calls as `onWaiting`; on a terminal it overwrites its line. */
  waiting: WaitReporter;
  end(): void;
}

/** One line of `--json`, without the envelope. */
export type ProgressEvent =
  | { event: 'step'; what: string }
  | { event: 'waiting'; for: string; percent: number | undefined };

/** Prints text lines on stderr; with `json`, events of this kind on stdout. Repeated waits are printed once. */
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
  /** A line that does not start a step. */
  line(what: string): void;
  /** A line about the current step. */
  detail(what: string): void;
}

export interface LineOptions {
  /** On a terminal: after a wait, the time since its step started. */
  showsStepTime?: boolean;
  /** Without a terminal: prints the same wait again after a new step, or after 30 s without a line. */
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
        // A line that wraps cannot be overwritten: CLEAR clears only its last row.
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

/** For waits outside a step, such as throttling by the cloud: one line each, repeated waits once. */
export function showWaiting({ stderr, isTerminal }: Pick<CliDeps, 'stderr' | 'isTerminal'>): WaitReporter {
  let last = '';
  return (what) => {
    const text = `waiting: ${printable(what)}`;
    if (text === last) return;
    last = text;
    // The verb's progress may be on this line of the terminal.
    stderr(`${isTerminal.stderr ? CLEAR : ''}${text}\n`);
  };
}

/** Repeats the last wait every second until `stop`, so that the time on the terminal keeps counting during a long call. */
export function everySecond(show: WaitReporter): { waiting: WaitReporter; stop: () => void } {
  let last: Parameters<WaitReporter> | undefined;
  const timer = setInterval(() => last && show(...last), 1000);
  return {
    waiting: (...wait) => {
      last = wait;
      show(...wait);
    },
    stop: () => clearInterval(timer),
  };
}

function awaited(what: string, percent: number | undefined): string {
  return printable(percent === undefined ? what : `${what} ${percent}%`);
}

/** A verb that prints nothing for longer than this looks hung. */
const SILENCE_US = 30e6;
const CLEAR = '\r\u001b[K';
