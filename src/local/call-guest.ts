// local/call-guest.ts: errors for a guest that is not running, or does not answer because it is still starting or hung.
import { TransientError, UserError } from '../base/errors.ts';
import type { Instance } from '../vms/pools.ts';

export function requireRunning(instance: Instance): Instance {
  if (instance.power === 'running') return instance;
  const { computerName, power } = instance;
  throw new UserError(`${computerName} is ${power}, so its guest cannot be reached`, {
    code: 'pool/not-running',
    next:
      power === 'stopped' || power === 'deallocated'
        ? `headstart pool start ${computerName}`
        : `headstart pool logs ${computerName}; if it is hung, \`headstart pool stop ${computerName}\` and start it again`,
    exitCode: 1,
  });
}

/** Turns "not answering" into an error with advice; other errors pass through. */
export async function callGuest<T>({ computerName }: Instance, question: () => Promise<T>): Promise<T> {
  try {
    return await question();
  } catch (cause) {
    if (!(cause instanceof TransientError) || cause.code !== 'vms/not-answering') throw cause;
    throw new UserError(`the guest of ${computerName} does not answer: it is still starting, or it is hung`, {
      code: 'pool/not-answering',
      next: `headstart pool logs ${computerName} shows its boot progress; then run the same command again`,
      exitCode: 1,
      cause,
    });
  }
}
