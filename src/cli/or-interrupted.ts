// cli/or-interrupted.ts: which error ends a verb that was interrupted while it worked?
import { UserError } from '../base/errors.ts';

/** Whatever `work` throws once the signal is aborted, the user reads what there is now and how to go on. */
export async function orInterrupted<T>(
  signal: AbortSignal,
  told: { code: string; kept: string; next: string },
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    if (!signal.aborted) throw cause;
    throw new UserError('interrupted', { exitCode: 4, cause, ...told });
  }
}
