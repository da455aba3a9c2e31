// local/call-guest.ts: only a guest that runs can be asked, and one that is still starting, or hangs, does not answer.
import { TransientError, UserError } from '../base/errors.ts';
import type { Instance } from '../vms/pools.ts';

export function requireRunning(instance: Instance): Instance {
  if (instance.power === 'running') return instance;
  const { computerName, power } = instance;
  throw new UserError(`${computerName} is ${power}: there is nobody to talk to`, {
    code: 'pool/not-running',
    next:
      power === 'stopped' || power === 'deallocated'
        ? `headstart pool start ${computerName}`
        : `headstart pool logs ${computerName}; if it hangs, \`headstart pool stop ${computerName}\` and start it again`,
    exitCode: 1,
  });
}

/** Says what to look at when nobody answers; everything else passes. */
export async function callGuest<T>({ computerName }: Instance, question: () => Promise<T>): Promise<T> {
  try {
    return await question();
  } catch (cause) {
    if (!(cause instanceof TransientError) || cause.code !== 'vms/not-answering') throw cause;
    throw new UserError(`the guest of ${computerName} does not answer: it is still starting, or it hangs`, {
      code: 'pool/not-answering',
      next: `headstart pool logs ${computerName} shows how far it has come; then run this again`,
      exitCode: 1,
      cause,
    });
  }
}
