// vms/qemu/pools/power.ts: start and stop instances. To stop: the guest agent, then the power button, then QEMU is terminated.
import { join } from 'node:path';
import type { CallOptions } from '../../../base/call-options.ts';
import { writeFileAtomic } from '../../../base/files.ts';
import type { InstanceRef } from '../../pools.ts';
import type { Claim } from '../../standby.ts';
import type { QemuContext } from '../context.ts';
import { AgentRefused } from '../guest/guest-agent.ts';
import { instanceRecordOf, poolRecordOf, writeInstanceRecord } from '../home/instance-records.ts';
import { instanceFiles, instanceFolder } from '../home/layout.ts';
import { lockPool } from '../home/pool-lock.ts';
import type { InstanceRecord } from '../home/records.ts';
import { NotAnswering } from '../machine/line-socket.ts';
import type { MachineRef } from '../machine/machines.ts';
import { type ClaimStep, writeClaim } from '../standby/claim-record.ts';
import { readParked } from '../standby/parked-record.ts';
import { abandonResume, resumeInstance } from '../standby/resume.ts';
import { takeIntoService } from '../standby/take-into-service.ts';
import { forgetNode, withCredential } from './admission.ts';
import { machineOf } from './instances.ts';
import { makeDisks } from './make-instance.ts';
import { vmArguments } from './vm-arguments.ts';

const AGENT_DEADLINE_MS = 5_000;
const ASK_AGAIN_MS = 10_000;
const LOOK_EVERY_MS = 250;

export async function start(context: QemuContext, ref: InstanceRef, options: CallOptions = {}): Promise<void> {
  options.signal?.throwIfAborted();
  instanceRecordOf(context.home, ref);
  await lockPool(context.home, ref.pool, `starting ${ref.id}`, options, async () => {
    const isClaimed = takeIntoService(context, ref);
    try {
      await startInstance(context, ref, options);
    } finally {
      if (isClaimed) context.refill?.(ref.pool);
    }
  });
}

/** How an instance came up. */
export type StartResult = Pick<Claim, 'from' | 'why'>;

/** The caller must hold the pool's lock. */
export async function startInstance(
  context: QemuContext,
  ref: InstanceRef,
  options: CallOptions,
): Promise<StartResult> {
  const { home, clock } = context;
  const { resume, isBlank } = instanceRecordOf(home, ref);
  if (!resume || isBlank) {
    if (resume) await abandonResume(context, ref);
    await boot(context, ref, options);
    return { from: 'cold' };
  }
  const claimed: ClaimStep = { name: 'claimed', atMs: clock.nowMs() };
  const whyNot = await resumeInstance(context, ref, options);
  if (whyNot === undefined && resume.tier !== 'stopped') return { from: resume.tier };
  if (whyNot !== undefined) options.onWaiting?.(`${ref.id} to boot, because it could not continue: ${whyNot}`);
  const result: StartResult = whyNot === undefined ? { from: resume.tier } : { from: 'cold', why: whyNot };
  const folder = instanceFolder(home, ref);
  // Before `abandonResume` deletes the record of how it was parked.
  writeClaim(folder, { ref, tier: result.from, parked: readParked(folder), steps: [claimed] });
  await abandonResume(context, ref);
  await boot(context, ref, options);
  return result;
}

async function boot(context: QemuContext, ref: InstanceRef, options: CallOptions): Promise<void> {
  const { home, clock, machines } = context;
  const pool = poolRecordOf(home, ref.pool);
  let record = instanceRecordOf(home, ref);
  const machine = machineOf(home, ref, record);
  const markRunning = () => writeInstanceRecord(home, pool, { ...record, wanted: 'running', isNew: false });
  if ((await machines.state(machine)) !== 'off') {
    if (record.isNew || record.wanted !== 'running') markRunning();
    return;
  }
  // A node of this name belongs to a deleted machine, or to the parked one: its command was killed, or the cluster was down.
  if (record.isNew || record.isBlank) await forgetNode(context, ref, options);
  if (record.isBlank) {
    await makeDisks(context, pool, record, options);
    record = writeInstanceRecord(home, pool, { ...record, isBlank: false });
  }
  options.onWaiting?.(`QEMU of ${ref.id}`);
  await withCredential(context, ref, options, async (apiServer) => {
    const argv = await vmArguments(context, pool, record, { apiServer, memory: memoryOf(record) }, options);
    // Written before QEMU starts: the boot timeline begins here, even if we are killed right after.
    record = writeInstanceRecord(home, pool, { ...record, startedMs: clock.nowMs() });
    // Made here, because QEMU would make it readable for everyone; the memory of a guest contains secrets.
    if (memoryOf(record)) writeFileAtomic(join(machine.folder, instanceFiles.memory), '', 0o600);
    await machines.launch(machine, argv, options.signal);
  });
  markRunning();
}

export async function stop(context: QemuContext, ref: InstanceRef, options: CallOptions = {}): Promise<void> {
  await stopAs(context, ref, 'stopped', options);
}

export async function deallocate(context: QemuContext, ref: InstanceRef, options: CallOptions = {}): Promise<void> {
  await stopAs(context, ref, 'deallocated', options);
}

/** A standby instance that will be frozen keeps its memory in a file from the start. */
const memoryOf = ({ standby }: InstanceRecord) => (standby?.tier === 'frozen' ? 'written' : undefined);

async function stopAs(
  context: QemuContext,
  ref: InstanceRef,
  wanted: 'stopped' | 'deallocated',
  options: CallOptions,
): Promise<void> {
  options.signal?.throwIfAborted();
  const machine = machineOf(context.home, ref, instanceRecordOf(context.home, ref));
  // Without the lock: a shutdown may take minutes, and other instances of the pool are not affected.
  await shutDown(context, machine, ref.id, options);
  await lockPool(context.home, ref.pool, `stopping ${ref.id}`, options, async () => {
    const record = instanceRecordOf(context.home, ref);
    // Another command may have started it since.
    await context.machines.end(machine);
    // Stopping a deallocated instance leaves it deallocated.
    const after = record.wanted === 'deallocated' ? 'deallocated' : wanted;
    writeInstanceRecord(context.home, poolRecordOf(context.home, ref.pool), { ...record, wanted: after });
  });
}

/** Returns when the process is gone. */
export async function shutDown(
  context: QemuContext,
  machine: MachineRef,
  name: string,
  options: CallOptions,
): Promise<void> {
  const { clock, machines, stopGraceMs } = context;
  const { signal, onWaiting } = options;
  const beganMs = clock.nowMs();
  let askedMs = Number.NEGATIVE_INFINITY;
  while ((await machines.state(machine)) !== 'off') {
    signal?.throwIfAborted();
    const waitedMs = clock.nowMs() - beganMs;
    if (waitedMs >= stopGraceMs) {
      onWaiting?.(
        `${name} to be terminated: it did not shut down within ${Math.round(waitedMs / 1000)} s; its disk is as after a power cut`,
      );
      return machines.end(machine);
    }
    // Repeat the request: a guest that is still booting misses the first one.
    if (clock.nowMs() - askedMs >= ASK_AGAIN_MS) {
      onWaiting?.(`${name} to shut down`);
      await askToStop(context, machine, Math.min(AGENT_DEADLINE_MS, stopGraceMs - waitedMs), signal);
      askedMs = clock.nowMs();
    }
    await clock.sleep(LOOK_EVERY_MS, signal);
  }
}

/** The agent first: the power button needs a daemon in the guest that handles it. */
async function askToStop(
  { agent, machines }: QemuContext,
  machine: MachineRef,
  deadlineMs: number,
  signal?: AbortSignal,
): Promise<void> {
  try {
    await agent.shutDown(machine.folder, { deadlineMs, signal });
  } catch (error) {
    signal?.throwIfAborted();
    if (!(error instanceof NotAnswering || error instanceof AgentRefused)) throw error;
    // QEMU may be exiting or busy; the next poll shows.
    await machines.pressPower(machine).catch(ignoreSilence);
  }
}

function ignoreSilence(error: unknown): void {
  if (!(error instanceof NotAnswering)) throw error;
}
