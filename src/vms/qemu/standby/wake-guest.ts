// vms/qemu/standby/wake-guest.ts: run the wake script in a guest: once as a rehearsal before it is parked, and right after it continues.
import { randomBytes } from 'node:crypto';
import type { CallOptions } from '../../../base/call-options.ts';
import { UserError } from '../../../base/errors.ts';
import type { QemuContext } from '../context.ts';
import { readGuestClock, runInGuest } from '../guest/guest.ts';
import type { Service } from '../local-provider.ts';
import { peerInTables, WAKE_SCRIPT } from './wake-script.ts';

const ENTROPY_BYTES = 64;
const REHEARSE_MS = 60_000;
/** A guest that was resumed answers within a second, on a busy machine within ten. */
const WAKE_MS = 30_000;
/** The answer of a machine that is not busy takes less. */
const SOON_MS = 500;
const EXACT_MS = 100;
const CORRECTIONS = 3;

/** Loads perl into the guest's memory, so that a resumed guest does not read its disk first. */
export async function rehearseWake(context: QemuContext, folder: string, { signal }: CallOptions): Promise<void> {
  await run(context, folder, () => ['rehearse', ''], { deadlineMs: REHEARSE_MS, signal });
}

export async function wakeGuest(
  context: QemuContext,
  folder: string,
  apiServer: Service | undefined,
  { signal }: CallOptions,
): Promise<void> {
  const peer = apiServer ? peerInTables(apiServer.address, apiServer.port) : '';
  const input = randomBytes(ENTROPY_BYTES);
  const args = () => [`${Math.round(context.clock.nowMs())}000000`, peer];
  const answer = await run(context, folder, args, { deadlineMs: WAKE_MS, signal, input });
  const failed = [...answer.matchAll(/^(clock|entropy)=(?!set$|added$)(.*)$/gm)].map(([line]) => line);
  if (failed.length > 0 || !answer.includes('entropy=added')) throw notWoken(failed.join('; ') || answer);
  const guestMs = Number(/^time=(\d+)$/m.exec(answer)?.[1]) / 1e6;
  if (context.clock.nowMs() - guestMs > SOON_MS) await correctClock(context, folder, { signal });
}

/** On a busy machine, seconds pass between our reading of the time and the script's setting of the clock. */
async function correctClock(context: QemuContext, folder: string, { signal }: CallOptions): Promise<void> {
  for (let attempt = 0; attempt < CORRECTIONS; attempt++) {
    const { guestMs, hostBeforeMs, hostAfterMs } = await readGuestClock(context, folder, signal);
    // By how much the guest's clock is certainly wrong.
    if (Math.max(hostBeforeMs - guestMs, guestMs - hostAfterMs) <= EXACT_MS) return;
    const addMs = Math.round((hostBeforeMs + hostAfterMs) / 2 - guestMs);
    await run(context, folder, () => [`add:${addMs}000000`, ''], { deadlineMs: WAKE_MS, signal });
  }
}

async function run(
  context: QemuContext,
  folder: string,
  args: () => string[],
  options: CallOptions & { deadlineMs: number; input?: Uint8Array },
): Promise<string> {
  // No file: a newer headstart may wake the guest than the one that parked it.
  const argv = (): [string, ...string[]] => ['perl', '-e', WAKE_SCRIPT, '--', ...args()];
  const { exitCode, stdout, stderr } = await runInGuest(context, folder, argv, options);
  if (exitCode !== 0) throw notWoken(stderr.toString().trim().slice(-500) || `perl exited with code ${exitCode}`);
  return stdout.toString();
}

function notWoken(why: string): UserError {
  return new UserError(`could not set the guest's clock and entropy: ${why}`, { code: 'vms/not-woken', exitCode: 1 });
}
