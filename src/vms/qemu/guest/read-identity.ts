// vms/qemu/guest/read-identity.ts: ask a guest what identifies its machine.
import type { CallOptions } from '../../../base/call-options.ts';
import { COLLECT_SCRIPT } from '../../../identity/collect-script.ts';
import { type ParsedIdentity, parseIdentity } from '../../../identity/parse-identity.ts';
import type { GuestRunOptions, GuestRunResult } from '../local-provider.ts';

/** Half a second of work; an emulated guest on a busy machine takes longer. */
const READ_MS = 30_000;

type RunInThisGuest = (argv: readonly [string, ...string[]], options: GuestRunOptions) => Promise<GuestRunResult>;

/** Undefined: the guest could not run the script to its end. */
export async function readIdentity(
  run: RunInThisGuest,
  name: string,
  { signal }: CallOptions,
): Promise<ParsedIdentity | undefined> {
  const { stdout } = await run(['/bin/sh', '-c', COLLECT_SCRIPT, 'sh', ''], { deadlineMs: READ_MS, signal });
  return parseIdentity(name, stdout.toString());
}
