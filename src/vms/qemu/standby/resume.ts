// vms/qemu/standby/resume.ts: continue a claimed instance from its frozen memory or its paused process. Every step can be repeated after a
// crash: the record says whether the guest may have run, and then its frozen memory is not used again.
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { CallOptions } from '../../../base/call-options.ts';
import { TransientError, UserError } from '../../../base/errors.ts';
import type { InstanceRef } from '../../pools.ts';
import type { QemuContext } from '../context.ts';
import { runInGuest } from '../guest/guest.ts';
import { instanceRecordOf, poolRecordOf, writeInstanceRecord } from '../home/instance-records.ts';
import { instanceFiles, instanceFolder } from '../home/layout.ts';
import type { InstanceRecord } from '../home/records.ts';
import type { Service } from '../local-provider.ts';
import { machineShape } from '../machine/command-line.ts';
import type { MachineRef } from '../machine/machines.ts';
import { requireJoinCluster } from '../pools/admission.ts';
import { machineOf } from '../pools/instances.ts';
import { vmArguments } from '../pools/vm-arguments.ts';
import { type ClaimStep, writeClaim } from './claim-record.ts';
import { documentOf } from './document.ts';
import { API_SERVER_MOVED, isElsewhere, whyNotCertified } from './judge-member.ts';
import { changedFile, type ParkedRecord, readParked } from './parked-record.ts';
import { wakeGuest } from './wake-guest.ts';

/** Reads the document again and applies it; prints why not. The node's image has it. */
const APPLY_DOCUMENT: [string, ...string[]] = ['headstart', 'node', 'apply', '--yes'];
const APPLY_MS = 5 * 60_000;

interface ResumeContext {
  ref: InstanceRef;
  folder: string;
  machine: MachineRef;
  parked: ParkedRecord;
  server: Service | undefined;
  steps: ClaimStep[];
}

/** Returns why the instance must boot instead. The caller must hold the pool's lock. */
export async function resumeInstance(
  context: QemuContext,
  ref: InstanceRef,
  options: CallOptions,
): Promise<string | undefined> {
  const { home, clock, machines } = context;
  const record = instanceRecordOf(home, ref);
  const { resume } = record;
  const folder = instanceFolder(home, ref);
  if (!resume || resume.tier === 'stopped') return undefined;
  const parked = readParked(folder);
  if (!parked) return 'its record of being parked is missing or cannot be read';
  const machine = machineOf(home, ref, record);
  // kubelet of a guest that runs has renewed its certificate since.
  const runs = resume.phase === 'running' && (await machines.state(machine)) === 'running';
  const certificate = runs ? undefined : whyNotCertified(parked, clock.nowMs());
  if (certificate !== undefined) return certificate; // it gets a new one when it boots
  const { cluster } = poolRecordOf(home, ref.pool).spec;
  const joiner = cluster === undefined ? undefined : requireJoinCluster(context, ref, cluster);
  const server = cluster === undefined ? undefined : joiner?.server(cluster);
  if (isElsewhere(parked, server?.to)) return API_SERVER_MOVED;
  const steps: ClaimStep[] = [{ name: 'claimed', atMs: record.startedMs ?? clock.nowMs() }];
  const resuming: ResumeContext = { ref, folder, machine, parked, server, steps };
  const held = parked.document !== documentOf(poolRecordOf(home, ref.pool), record);
  if (held && cluster === undefined) return 'its document has changed'; // no one would know until it is applied
  // At once: the node exists by the time kubelet reports its status.
  const node = { seed: parked.node, held };
  const created = createNode(context, resuming, node, options);
  created.catch(() => undefined); // it is awaited below
  try {
    await continueGuest(context, resuming, resume.phase, options);
    await wakeGuest(context, folder, server, options);
    note(context, steps, 'woken');
  } catch (error) {
    options.signal?.throwIfAborted();
    if (!(error instanceof UserError || error instanceof TransientError)) throw error;
    await machines.end(resuming.machine);
    await created.catch(() => undefined); // a boot removes this node
    return error.message.split('\n')[0];
  }
  try {
    await created;
  } catch (error) {
    options.signal?.throwIfAborted();
    if (!(error instanceof UserError)) throw error; // the next command goes on when the API server answers again
    return `its Node could not be created: ${error.message.split('\n')[0]}`; // when it boots, kubelet registers one
  }
  if (held) await applyDocument(context, resuming, cluster, options);
  if (steps.some(({ name }) => name === 'thawed')) writeClaim(folder, { ...resuming, tier: resume.tier, steps });
  endResume(context, ref);
  return undefined;
}

/** From here on the instance is like any other. Its frozen memory may still be mapped; deleting the files does not matter then. */
function endResume({ home }: QemuContext, ref: InstanceRef): void {
  rewrite(home, ref, { wanted: 'running', isNew: false });
}

/**
 * Before the instance boots instead: its guest will write to the disk, and the frozen memory will not fit any more. Like a new one it gets
 * a Node of its own, and the next scaling command boots it if we are killed.
 */
export async function abandonResume({ home, machines }: QemuContext, ref: InstanceRef): Promise<void> {
  await machines.end(machineOf(home, ref, instanceRecordOf(home, ref)));
  rewrite(home, ref, { wanted: 'running', isNew: true });
}

function rewrite(home: string, ref: InstanceRef, after: Pick<InstanceRecord, 'wanted' | 'isNew'>): void {
  const { resume: _, ...record } = instanceRecordOf(home, ref);
  writeInstanceRecord(home, poolRecordOf(home, ref.pool), { ...record, ...after });
  const folder = instanceFolder(home, ref);
  for (const name of [instanceFiles.memory, instanceFiles.devices, instanceFiles.parked])
    rmSync(join(folder, name), { force: true });
}

async function continueGuest(
  context: QemuContext,
  resuming: ResumeContext,
  phase: 'parked' | 'running',
  options: CallOptions,
): Promise<void> {
  const { machines } = context;
  const { machine, parked, ref, steps } = resuming;
  const state = await machines.state(machine);
  if (phase === 'running' && state === 'off') throw notResumed('its process ended while it continued');
  if (phase === 'parked' && parked.tier === 'paused' && state !== 'paused')
    throw notResumed(`its process is ${state}, not paused`);
  if (phase === 'parked' && parked.tier === 'frozen') {
    if (state !== 'off') await machines.end(machine); // a killed command launched it; its guest has not run
    await loadFrozen(context, resuming, options);
  }
  markRunning(context, ref);
  await machines.resume(machine);
  // It continued before an earlier command was killed; when, is not known any more.
  if (state === 'running') return;
  note(context, steps, 'thawed');
}

async function loadFrozen(
  context: QemuContext,
  { ref, folder, machine, parked, server }: ResumeContext,
  options: CallOptions,
) {
  const { home, machines } = context;
  const changed = await changedFile(folder, parked.files, options.signal);
  if (changed !== undefined) throw notResumed(`${changed} is not as it was frozen`);
  const use = { apiServer: server, memory: 'resumed' as const };
  const argv = await vmArguments(context, poolRecordOf(home, ref.pool), instanceRecordOf(home, ref), use, options);
  const [difference] = differencesOf(machineShape(argv), parked.shape);
  if (difference !== undefined) throw notResumed(`the machine is different now (${difference})`);
  await machines.launch(machine, argv, options.signal);
  const build = await machines.build(machine);
  if (build !== parked.qemu) throw notResumed(`it was frozen by QEMU ${parked.qemu}, and this is ${build}`);
  await machines.load(machine, options.signal);
}

/** Parts that only one of them has, or has more often. */
function differencesOf(now: readonly string[], then: readonly string[]): string[] {
  const times = (parts: readonly string[], part: string) => parts.filter((one) => one === part).length;
  return [...new Set([...now, ...then])].filter((part) => times(now, part) !== times(then, part));
}

/** Written before the guest runs: if we are killed later, its disk has changed, and the frozen memory does not fit any more. */
function markRunning({ home }: QemuContext, ref: InstanceRef): void {
  const record = instanceRecordOf(home, ref);
  if (!record.resume || record.resume.phase === 'running') return;
  const after: InstanceRecord = { ...record, resume: { ...record.resume, phase: 'running' } };
  writeInstanceRecord(home, poolRecordOf(home, ref.pool), after);
}

async function createNode(
  context: QemuContext,
  { ref, steps }: ResumeContext,
  { seed, held }: { seed: ParkedRecord['node']; held: boolean },
  options: CallOptions,
): Promise<void> {
  const { cluster } = poolRecordOf(context.home, ref.pool).spec;
  if (cluster === undefined || seed === undefined) return;
  await requireJoinCluster(context, ref, cluster).createNode(cluster, ref, seed, { ...options, held });
  note(context, steps, 'node-created');
}

/** The node is tainted until it has the document that is assigned now. */
async function applyDocument(
  context: QemuContext,
  { ref, folder }: ResumeContext,
  cluster: string | undefined,
  options: CallOptions,
): Promise<void> {
  options.onWaiting?.(`${ref.id} to apply the document that changed while it was parked`);
  const { exitCode, stderr } = await runInGuest(context, folder, APPLY_DOCUMENT, {
    deadlineMs: APPLY_MS,
    signal: options.signal,
  });
  if (exitCode !== 0)
    throw new UserError(`${ref.id} did not apply its new document: ${stderr.toString().trim().slice(-500)}`, {
      code: 'vms/document-not-applied',
      kept: 'The instance runs, and its node is tainted, so that no pods are scheduled on it.',
      next: `headstart pool start ${ref.id}`,
      exitCode: 1,
    });
  if (cluster !== undefined) await requireJoinCluster(context, ref, cluster).release(cluster, ref, options);
}

function note({ clock }: QemuContext, steps: ClaimStep[], name: ClaimStep['name']): void {
  steps.push({ name, atMs: clock.nowMs() });
}

function notResumed(why: string): UserError {
  return new UserError(why, { code: 'vms/not-resumed', exitCode: 1 });
}
