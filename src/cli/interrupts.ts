// cli/interrupts.ts: what do Ctrl-C, a closed terminal and `kill` do to a verb that asked to be told?
import { Interrupted } from '../base/errors.ts';

/** What of the process is needed. */
export interface SignalTarget {
  on(signal: SignalName, listener: (name: SignalName) => void): unknown;
  removeListener(signal: SignalName, listener: (name: SignalName) => void): unknown;
  exitCode?: string | number | null | undefined;
}

export interface Interrupts {
  signal(): AbortSignal;
  secondSignal(): AbortSignal;
  onHangUp(listener: () => void): void;
}

type SignalName = keyof typeof EXIT_CODES;

/** A terminal that is closed, or an ssh session that breaks off, is no reason to leave things half done either. */
const EXIT_CODES = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 } as const;
const NAMES = Object.keys(EXIT_CODES) as SignalName[];
/** A terminal and a wrapper that passes it on: one Ctrl-C may arrive twice. */
const SAME_MS = 100;

/**
 * Nothing is caught until somebody asks. Files are read and parsed without a pause in which a handler could run, so once there
 * is one neither Ctrl-C nor `kill` would end a verb that reads something huge, or waits for the writer of a pipe.
 */
export function interruptsOf(target: SignalTarget, nowMs: () => number): Interrupts {
  const [first, second] = [new AbortController(), new AbortController()];
  let isCatching = false;
  let isSecondAwaited = false;
  let firstMs = 0;
  let hungUp: (() => void) | undefined;

  function caught(name: SignalName): void {
    if (name === 'SIGHUP' && hungUp) {
      hungUp();
      return;
    }
    if (!first.signal.aborted) {
      firstMs = nowMs();
      target.exitCode = EXIT_CODES[name];
      if (!isSecondAwaited) stopCatching();
      first.abort(new Interrupted(name));
      return;
    }
    // Hanging up is nobody's insistence: the kernel and the shell both say it.
    if (name === 'SIGHUP' || nowMs() - firstMs < SAME_MS) return;
    stopCatching(); // the third one ends the process as if it had never been caught
    second.abort(new Interrupted(name));
  }

  function startCatching(): void {
    if (!isCatching) for (const name of NAMES) target.on(name, caught);
    isCatching = true;
  }

  function stopCatching(): void {
    for (const name of NAMES) target.removeListener(name, caught);
  }

  return {
    signal() {
      startCatching();
      return first.signal;
    },
    secondSignal() {
      startCatching();
      isSecondAwaited = true;
      return second.signal;
    },
    onHangUp(listener) {
      startCatching();
      hungUp = listener;
    },
  };
}
