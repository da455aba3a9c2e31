// vms/qemu/standby/boot-not-ready.ts: a claimed guest that continued may never become Ready: its kubelet or its network is dead. Then it boots.
import type { CallOptions } from '../../../base/call-options.ts';
import type { InstanceRef } from '../../pools.ts';
import type { QemuContext } from '../context.ts';
import { instanceRecordOf, poolRecordOf, writeInstanceRecord } from '../home/instance-records.ts';
import { instanceFolder } from '../home/layout.ts';
import { lockPool } from '../home/pool-lock.ts';
import { unlessDamaged } from '../home/record-file.ts';
import type { AwaitUpOptions } from '../local-provider.ts';
import { type JoiningInstance, requireJoinCluster } from '../pools/admission.ts';
import { machineOf } from '../pools/instances.ts';
import { startInstance } from '../pools/power.ts';
import { claimStepMs, readClaim, writeClaim } from './claim-record.ts';
import { abandonResume } from './resume.ts';

const LOOK_EVERY_MS = 5_000;
/** Together 90 s. A frozen node on a busy machine with emulated processors took 10 s. Time in which this machine slept does not count. */
const LOOKS = 18;

/** False: its guest did not continue in this start, or its node is or was Ready, and its pods may still run. Time without the API server does not count. */
export async function staysNotReady(
  context: QemuContext,
  joining: JoiningInstance,
  cluster: string,
  options: CallOptions,
): Promise<boolean> {
  const { ref } = joining;
  const joiner = requireJoinCluster(context, ref, cluster);
  for (let misses = 0; misses < LOOKS; ) {
    if (!continuedIn(context, ref) || joiner.wasReady(joining)) return false;
    await context.clock.sleep(LOOK_EVERY_MS, options.signal);
    const isReady = await joiner.isReady(cluster, ref, options);
    if (isReady) return false;
    misses = isReady === undefined ? 0 : misses + 1;
  }
  return true;
}

/** Its guest is not asked to shut down: a network that is dead may hold it up for minutes. */
export async function bootNotReady(
  context: QemuContext,
  ref: InstanceRef,
  cluster: string,
  options: AwaitUpOptions,
): Promise<void> {
  const { home } = context;
  await lockPool(home, ref.pool, `booting ${ref.id}, which is not Ready`, options, async () => {
    const claim = continuedIn(context, ref);
    // Another command may have booted or stopped it, and the API server may not answer any more: without it, the node could not join.
    if (!claim || (await context.machines.state(machineOf(home, ref, instanceRecordOf(home, ref)))) !== 'running')
      return;
    if ((await requireJoinCluster(context, ref, cluster).isReady(cluster, ref, options)) !== false) return;
    const seconds = (LOOKS * LOOK_EVERY_MS) / 1000;
    const why = `its node was not Ready within ${seconds} s after it continued`;
    options.onWaiting?.(`${ref.id} to boot, because ${why}`);
    // First, so that the next scaling command boots it if we are killed.
    writeInstanceRecord(home, poolRecordOf(home, ref.pool), { ...instanceRecordOf(home, ref), isNew: true });
    await abandonResume(context, ref);
    const { claimedMs, parkedMs } = claim;
    const parked = parkedMs === undefined ? undefined : { parkedMs };
    const steps = [{ name: 'claimed' as const, atMs: claimedMs }];
    writeClaim(instanceFolder(home, ref), { ref, tier: 'cold', parked, steps });
    await startInstance(context, ref, options);
    options.onBoot?.(why);
  });
}

interface ContinuedClaim {
  claimedMs: number;
  /** Absent: it is not known any more. */
  parkedMs?: number;
}

/** The claim with which it continued; undefined if it was started in another way since. */
function continuedIn({ home }: QemuContext, ref: InstanceRef): ContinuedClaim | undefined {
  const { startedMs, wanted } = instanceRecordOf(home, ref);
  // How an instance with a damaged record was started is not known.
  const claim = unlessDamaged(() => readClaim(instanceFolder(home, ref)));
  if (!claim || startedMs === undefined || wanted !== 'running') return undefined;
  // A claim marks the instance as started before its guest continues; a later start is not of this claim.
  if (!(claimStepMs(claim, 'thawed') >= startedMs)) return undefined;
  const parkedMs = Date.parse(String(claim.frozenAt));
  return { claimedMs: startedMs, ...(!Number.isNaN(parkedMs) && { parkedMs }) };
}
