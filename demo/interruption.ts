// demo/interruption.ts: turns Ctrl-C and SIGTERM into an abort signal, so that the demo cleans up.
import { exitCodeOf, renderError } from '../src/base/errors.ts';
import { writeAll } from '../src/cli/streams.ts';

// Output goes by writeAll: a Ctrl-C that ends `tee` as well must not keep the demo from cleaning up.
export function onInterruption(): AbortSignal {
  const interruption = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    process.on(signal, () => {
      writeAll(2, '\ninterrupted: cleaning up\n');
      interruption.abort(new Error('interrupted'));
    });
  return interruption.signal;
}

/** The message and the exit code. */
export function tellFailure(error: unknown, signal: AbortSignal): void {
  process.exitCode = signal.aborted ? 130 : exitCodeOf(error);
  if (!signal.aborted) writeAll(2, `${renderError(error)}\n`);
}
