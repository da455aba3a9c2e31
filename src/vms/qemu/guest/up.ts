// vms/qemu/guest/up.ts: is a guest up, as its pool defines it? Power alone is not readiness.
import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { join } from 'node:path';
import type { CallOptions } from '../../../base/call-options.ts';
import { UserError } from '../../../base/errors.ts';
import type { InstanceRef } from '../../pools.ts';
import type { QemuContext } from '../context.ts';
import { instanceRecordOf, poolRecordOf } from '../home/instance-records.ts';
import { instanceFiles, instanceFolder } from '../home/layout.ts';
import type { AwaitUpOptions } from '../local-provider.ts';
import { isHung, writtenMs } from '../machine/hung.ts';
import { NotAnswering } from '../machine/line-socket.ts';
import type { MachineState } from '../machine/machines.ts';
import { type JoiningInstance, requireJoinCluster } from '../pools/admission.ts';
import { machineOf } from '../pools/instances.ts';
import { bootNotReady, staysNotReady } from '../standby/boot-not-ready.ts';
import { hasRun, runExtensions } from './extensions.ts';
import { runInGuest } from './guest.ts';
import { AgentRefused } from './guest-agent.ts';

const ASK_DEADLINE_MS = 60_000;
const PING_DEADLINE_MS = 5_000;
const LOOK_EVERY_MS = 1_000;
/** The guest gets extra time: when the node is not Ready, the cluster's error is more useful than the guest's, and takes longer. */
const LATER_MS = 180_000;
const CONSOLE_BYTES = 2_000;

export async function isUp(context: QemuContext, ref: InstanceRef, options: CallOptions = {}): Promise<boolean> {
  const record = instanceRecordOf(context.home, ref);
  if (!hasRun(record)) return false;
  if ((await context.machines.state(machineOf(context.home, ref, record))) !== 'running') return false;
  const { cluster } = poolRecordOf(context.home, ref.pool).spec;
  if (cluster !== undefined && !(await requireJoinCluster(context, ref, cluster).isReady(cluster, ref, options)))
    return false;
  return hasStarted(context, ref, options);
}

/** In a cluster's pool, the node must be Ready as well. A claimed guest that continued and does not get there boots, once. */
export async function awaitUp(context: QemuContext, ref: InstanceRef, options: AwaitUpOptions): Promise<void> {
  const { cluster } = poolRecordOf(context.home, ref.pool).spec;
  if (cluster === undefined) return awaitGuest(context, ref, options);
  const untilMs = context.clock.nowMs() + options.deadlineMs;
  while ((await awaitNode(context, ref, cluster, { ...options, untilMs })) !== 'up')
    await bootNotReady(context, ref, cluster, options);
}

/** Both waits start at once, so that no event of the boot is missed. */
async function awaitNode(
  context: QemuContext,
  ref: InstanceRef,
  cluster: string,
  options: CallOptions & { untilMs: number },
): Promise<'up' | 'must-boot'> {
  const joiner = requireJoinCluster(context, ref, cluster);
  const end = new AbortController();
  const signal = options.signal ? AbortSignal.any([options.signal, end.signal]) : end.signal;
  const { onWaiting: onReset, ...silently } = options; // the node's progress is more useful than "waiting for the guest"
  const joining = joiningOf(context, ref);
  const deadlineMs = Math.max(0, options.untilMs - context.clock.nowMs());
  const both = [
    awaitGuest(context, ref, { ...silently, onReset, signal, deadlineMs: deadlineMs + LATER_MS }),
    joiner.awaitReady(cluster, joining, { ...options, signal, deadlineMs }),
  ];
  const isUp = Promise.all(both).then(() => 'up' as const);
  const isStuck = staysNotReady(context, joining, cluster, { signal });
  try {
    return await Promise.race([isUp, isStuck.then((mustBoot) => (mustBoot ? 'must-boot' : isUp))]);
  } finally {
    end.abort();
    await Promise.allSettled([...both, isUp, isStuck]); // when one fails, the others stop too
  }
}

function joiningOf(context: QemuContext, ref: InstanceRef): JoiningInstance {
  const folder = instanceFolder(context.home, ref);
  return {
    ref,
    startedMs: instanceRecordOf(context.home, ref).startedMs ?? context.clock.nowMs(),
    eventsFile: join(folder, instanceFiles.clusterEvents),
    isRunning: async () => {
      const record = instanceRecordOf(context.home, ref);
      return (await context.machines.state(machineOf(context.home, ref, record))) !== 'off';
    },
    runInGuest: (argv, options) => runInGuest(context, folder, argv, options),
  };
}

async function awaitGuest(
  context: QemuContext,
  ref: InstanceRef,
  options: CallOptions & { deadlineMs: number; onReset?: CallOptions['onWaiting'] },
): Promise<void> {
  const { clock, machines, home } = context;
  const { signal, onWaiting, onReset = onWaiting, deadlineMs } = options;
  const beganMs = clock.nowMs();
  const untilMs = beganMs + deadlineMs;
  const resetsMs: number[] = [];
  for (;;) {
    signal?.throwIfAborted();
    const record = instanceRecordOf(home, ref);
    const machine = machineOf(home, ref, record);
    const state = await machines.state(machine);
    if (state === 'off' || state === 'full') throw notUp(home, ref, WHY[state]);
    if (await answers(context, ref, signal)) {
      if (!hasRun(record)) await runExtensions(context, ref, { ...options, untilMs }).catch(unlessSilent(signal));
      else if (await hasStarted(context, ref, options)) return;
    }
    // A claimed guest continues some time after `startedMs`, and had written before.
    const { startedMs = Number.POSITIVE_INFINITY } = record;
    const since = { resets: resetsMs.length, sinceMs: resetsMs.at(-1) ?? Math.max(startedMs, beganMs) };
    if (isHung({ startedMs, writtenMs: writtenMs(machine.folder), ...since, nowMs: clock.nowMs() })) {
      onReset?.(`${ref.id} to boot again: it was hung and has been reset`);
      await machines.reset(machine);
      resetsMs.push(clock.nowMs());
    }
    if (clock.nowMs() >= untilMs) throw notUp(home, ref, `is not up after ${Math.round(deadlineMs / 1000)} s`);
    onWaiting?.(`${ref.id} to be up`);
    await clock.sleep(LOOK_EVERY_MS, signal);
  }
}

const WHY: Readonly<Record<Extract<MachineState, 'off' | 'full'>, string>> = {
  off: 'is not running',
  full: 'is paused: the disk of this machine is full',
};

async function answers({ agent, home }: QemuContext, ref: InstanceRef, signal?: AbortSignal): Promise<boolean> {
  const ping = agent.talk(instanceFolder(home, ref), { deadlineMs: PING_DEADLINE_MS, signal }, async (ask) => {
    await ask('guest-ping');
    return true;
  });
  return ping.catch((error) => unlessSilent(signal)(error) ?? false);
}

/**
 * True when the pool's ready unit is active; without a ready unit, when systemd has finished starting, even if units failed. A node
 * without a ready unit is always started: its cluster decides when it is ready.
 */
async function hasStarted(context: QemuContext, ref: InstanceRef, { signal }: CallOptions): Promise<boolean> {
  const { readyUnit, cluster } = poolRecordOf(context.home, ref.pool).spec;
  if (cluster !== undefined && readyUnit === undefined) return true;
  const argv: [string, ...string[]] = readyUnit
    ? ['systemctl', 'is-active', '--', readyUnit]
    : ['systemctl', 'is-system-running'];
  const expected = readyUnit ? ['active'] : ['running', 'degraded'];
  try {
    const deadline = { deadlineMs: ASK_DEADLINE_MS, signal };
    const { stdout } = await runInGuest(context, instanceFolder(context.home, ref), argv, deadline);
    return expected.includes(stdout.toString().trim());
  } catch (error) {
    unlessSilent(signal)(error);
    return false;
  }
}

/** A guest that is booting or shutting down answers only some of the time. */
function unlessSilent(signal: AbortSignal | undefined) {
  return (error: unknown): undefined => {
    signal?.throwIfAborted();
    const isSilence =
      error instanceof NotAnswering ||
      error instanceof AgentRefused ||
      (error instanceof UserError && error.code === 'vms/guest-deadline');
    if (!isSilence) throw error;
  };
}

function notUp(home: string, ref: InstanceRef, why: string): UserError {
  const console = endOf(join(instanceFolder(home, ref), instanceFiles.console));
  return new UserError(`${ref.id} ${why}${console && `; its console ends with:\n${console}`}`, {
    code: 'vms/not-up',
    kept: 'The instance and its disk were kept.',
    next: `read the whole console with \`headstart pool logs ${ref.id}\``,
    exitCode: 1,
  });
}

function endOf(path: string): string {
  try {
    const fd = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW);
    try {
      const bytes = Buffer.alloc(CONSOLE_BYTES);
      const from = Math.max(0, fstatSync(fd).size - CONSOLE_BYTES);
      return bytes
        .subarray(0, readSync(fd, bytes, 0, CONSOLE_BYTES, from))
        .toString()
        .trim();
    } finally {
      closeSync(fd);
    }
  } catch {
    return '';
  }
}
