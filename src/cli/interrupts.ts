// cli/interrupts.ts: what do Ctrl-C, a closed terminal and `kill` do to a verb that handles signals?
import { Interrupted } from '../base/errors.ts';

/** The part of `process` that is used. */
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

/** Includes SIGHUP: a closed terminal or a broken ssh session must not leave work half done. */
const EXIT_CODES = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 } as const;
const NAMES = Object.keys(EXIT_CODES) as SignalName[];
/** One Ctrl-C may arrive twice: from the terminal, and from a wrapper that forwards it. */
const SAME_MS = 100;

/**
 * Installs no handler before a method is called. Files are read and parsed synchronously, and no handler can run meanwhile. With
 * handlers, neither Ctrl-C nor `kill` would end a verb that reads a huge file or waits for the writer of a pipe.
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
    // SIGHUP does not count as a second signal: the kernel and the shell both send it.
    if (name === 'SIGHUP' || nowMs() - firstMs < SAME_MS) return;
    stopCatching(); // a third signal ends the process at once
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
