// vms/qemu/guest/guest.ts: run a program in a guest, write a file there, read its clock; all as root, through the guest agent.
import { z } from 'zod';
import type { Clock } from '../../../base/clock.ts';
import { UserError } from '../../../base/errors.ts';
import type { GuestClockReading, GuestRunOptions, GuestRunResult } from '../local-provider.ts';
import type { GuestAgent } from './guest-agent.ts';

export interface GuestDeps {
  agent: GuestAgent;
  clock: Clock;
}

/** An emulated guest on a busy machine is slow. */
const TALK_DEADLINE_MS = 60_000;
const FIRST_LOOK_MS = 50;
const LAST_LOOK_MS = 1_000;
const CHUNK_BYTES = 1 << 20;
const CLOCK_SAMPLES = 5;

const startedSchema = z.object({ pid: z.int() });
const statusSchema = z.object({
  exited: z.boolean(),
  exitcode: z.int().optional(),
  signal: z.int().optional(),
  'out-data': z.string().optional(),
  'err-data': z.string().optional(),
  'out-truncated': z.boolean().optional(),
  'err-truncated': z.boolean().optional(),
});

type GuestArgv = readonly [string, ...string[]];

/**
 * Polls instead of holding the connection: the agent serves one caller at a time, and others need a turn. If `argv` is a function, it is
 * called when the agent listens, which can be seconds after the call.
 */
export async function runInGuest(
  { agent, clock }: GuestDeps,
  folder: string,
  argv: GuestArgv | (() => GuestArgv),
  options: GuestRunOptions,
): Promise<GuestRunResult> {
  const { deadlineMs, input, signal, onWaiting } = options;
  const talk = { deadlineMs: Math.min(deadlineMs, TALK_DEADLINE_MS), signal };
  const inputData = input !== undefined && { 'input-data': Buffer.from(input).toString('base64') };
  let path = '';
  const beganMs = clock.nowMs();
  const started = await agent.talk(folder, talk, (ask) => {
    const [program, ...arg] = typeof argv === 'function' ? argv() : argv;
    path = program;
    return ask('guest-exec', { path, arg, 'capture-output': true, ...inputData });
  });
  const { pid } = startedSchema.parse(started);
  for (let lookMs = FIRST_LOOK_MS; ; lookMs = Math.min(lookMs * 2, LAST_LOOK_MS)) {
    const status = statusSchema.parse(await agent.talk(folder, talk, (ask) => ask('guest-exec-status', { pid })));
    if (status.exited) return ranOf(path, status);
    const waitedMs = clock.nowMs() - beganMs;
    if (waitedMs >= deadlineMs || signal?.aborted) {
      // Do not leave the program running in the guest; a failure to kill it does not change the result.
      await agent
        .talk(folder, { deadlineMs: TALK_DEADLINE_MS }, (ask) =>
          ask('guest-exec', { path: 'kill', arg: ['-KILL', String(pid)] }),
        )
        .catch(() => undefined);
      signal?.throwIfAborted();
      throw new UserError(
        `${path} did not finish within ${Math.round(deadlineMs / 1000)} s in the guest and was killed`,
        {
          code: 'vms/guest-deadline',
          exitCode: 1,
        },
      );
    }
    onWaiting?.(`${path} in the guest`);
    await clock.sleep(lookMs);
  }
}

/** Replaces an existing file. */
export async function writeInGuest(
  { agent }: GuestDeps,
  folder: string,
  path: string,
  content: Uint8Array,
  signal?: AbortSignal,
): Promise<void> {
  await agent.talk(folder, { deadlineMs: TALK_DEADLINE_MS + content.length / 100, signal }, async (ask) => {
    const handle = z.int().parse(await ask('guest-file-open', { path, mode: 'w' }));
    for (let at = 0; at < content.length; at += CHUNK_BYTES) {
      const chunk = Buffer.from(content.subarray(at, at + CHUNK_BYTES)).toString('base64');
      await ask('guest-file-write', { handle, 'buf-b64': chunk });
    }
    await ask('guest-file-close', { handle });
  });
}

/** Returns the reading with the shortest interval. */
export async function readGuestClock(
  { agent, clock }: GuestDeps,
  folder: string,
  signal?: AbortSignal,
): Promise<GuestClockReading> {
  return agent.talk(folder, { deadlineMs: TALK_DEADLINE_MS, signal }, async (ask) => {
    const readings: GuestClockReading[] = [];
    for (let i = 0; i < CLOCK_SAMPLES; i++) {
      const hostBeforeMs = clock.nowMs();
      const guestMs = z.number().parse(await ask('guest-get-time')) / 1e6;
      readings.push({ guestMs, hostBeforeMs, hostAfterMs: clock.nowMs() });
    }
    const width = (one: GuestClockReading) => one.hostAfterMs - one.hostBeforeMs;
    return readings.reduce((best, one) => (width(one) < width(best) ? one : best));
  });
}

function ranOf(path: string, status: z.infer<typeof statusSchema>): GuestRunResult {
  if (status['out-truncated'] || status['err-truncated'])
    throw new UserError(`the output of ${path} in the guest exceeds the guest agent's limit (16 MiB)`, {
      code: 'vms/guest-output',
      exitCode: 1,
    });
  return {
    // 128 + signal, as in a shell.
    exitCode: status.exitcode ?? 128 + (status.signal ?? 0),
    stdout: Buffer.from(status['out-data'] ?? '', 'base64'),
    stderr: Buffer.from(status['err-data'] ?? '', 'base64'),
  };
}
