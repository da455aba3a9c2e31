// local/await-up.ts: wait until several instances are up, and report what each is waiting for.
import type { WaitReporter } from '../base/call-options.ts';
import { UserError } from '../base/errors.ts';
import type { Instance } from '../vms/pools.ts';
import type { Guests } from '../vms/qemu/local-provider.ts';

interface AwaitAll {
  onWaiting: WaitReporter;
  /** This one continued, was never Ready, and boots now. */
  onBoot?: (instance: Instance, why: string) => void;
  deadlineMs: number;
  signal: AbortSignal;
}

export async function awaitAllUp(
  { awaitUp }: Pick<Guests, 'awaitUp'>,
  instances: readonly Instance[],
  { onWaiting, onBoot, deadlineMs, signal }: AwaitAll,
): Promise<void> {
  const awaited = new Map(instances.map(({ computerName }) => [computerName, `${computerName} to be up`]));
  const report = () => onWaiting([...awaited.values()].join(', '));
  const ended = await Promise.allSettled(
    instances.map(async (instance) => {
      const { ref, computerName } = instance;
      await awaitUp(ref, {
        deadlineMs,
        signal,
        onWaiting: (what) => {
          awaited.set(computerName, what.includes(computerName) ? what : `${computerName} (${what})`);
          report();
        },
        onBoot: (why) => onBoot?.(instance, why),
      });
      awaited.delete(computerName);
      if (awaited.size > 0) report();
    }),
  );
  const failures = ended.flatMap((end) => (end.status === 'rejected' ? [end.reason as unknown] : []));
  const [first, ...others] = failures;
  if (first === undefined) return;
  if (others.length === 0 || !(first instanceof UserError)) throw first;
  throw new UserError(`${first.message}\n(and ${others.length} more of the ${instances.length} did not come up)`, {
    code: first.code,
    ...(first.kept !== undefined && { kept: first.kept }),
    ...(first.next !== undefined && { next: first.next }),
    exitCode: 1,
    cause: first,
  });
}
