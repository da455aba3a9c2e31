// cli/or-interrupted.ts: which error ends a verb that was interrupted while it worked?
import { UserError } from '../base/errors.ts';

/** Once the signal is aborted, replaces any error of `work` with one that says what was kept and how to continue. */
export async function orInterrupted<T>(
  signal: AbortSignal,
  facts: { code: string; kept: string; next: string },
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    if (!signal.aborted) throw cause;
    throw new UserError('interrupted', { exitCode: 4, cause, ...facts });
  }
}
