// local/collect-instance.ts: everything that explains the boot of a VM of this machine: what its guest tells, when we started it, and
// what its cluster saw of it.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { constants, gunzipSync } from 'node:zlib';
import { TransientError, UserError } from '../base/errors.ts';
import type { BundleMember, CollectResult, MissedItem } from '../boot/collect/collect-result.ts';
import type { CollectItem } from '../boot/collect/items.ts';
import { collectThrough } from '../boot/collect/remote.ts';
import type { ClusterEventsHead } from '../boot/load/sources/kubernetes/cluster-events.ts';
import type { VmStart } from '../boot/load/sources/platform/vm-start.ts';
import { BOOT_API_VERSION } from '../boot/model/record.ts';
import { readJoinLog } from '../cluster/join-log.ts';
import type { Instance } from '../vms/pools.ts';
import { instanceFiles } from '../vms/qemu/home/layout.ts';
import type { QemuFactory } from '../vms/qemu/local-factory.ts';
import { parseHealth } from '../vms/qemu/metadata-service/health.ts';
import { askGuest, requireRunning } from './ask-guest.ts';
import { findInstance } from './find.ts';
import type { LookAtCluster } from './look-at-cluster.ts';

export interface CollectWhat {
  boot: string;
  items: readonly CollectItem[];
  /** For what nobody has noted of a node; without it, only that is taken. */
  lookAtCluster?: LookAtCluster;
  signal: AbortSignal;
}

const DEADLINE_MS = 10 * 60_000;
const MAX_BYTES = 512 << 20;

export async function collectInstance(
  factory: QemuFactory,
  name: string,
  { boot, items, lookAtCluster, signal }: CollectWhat,
): Promise<CollectResult> {
  const instance = requireRunning(await findInstance(factory, name, { signal }));
  const collected = await collectThrough(
    (script) => askGuest(instance, () => runShell(factory, instance, script, signal)),
    {
      from: name,
      items,
    },
  );
  if (boot !== '0') return collected; // an earlier boot may be of another start
  const start = await vmStartOf(factory, instance, bootIdIn(collected), signal);
  if (!start) return { ...collected, missed: [...collected.missed, { name: VM_START, why: 'nobody wrote down when' }] };
  const bytes = Buffer.from(`${JSON.stringify(start, null, 2)}\n`);
  const seen = await clusterEventsOf(factory, instance, start, { signal, ...(lookAtCluster && { lookAtCluster }) });
  return {
    ...collected,
    members: [...collected.members, { name: VM_START, bytes }, ...seen.members],
    missed: [...collected.missed, ...seen.missed],
  };
}

const VM_START = 'headstart/vm.json';
const CLUSTER_EVENTS = 'headstart/cluster-events.jsonl';

/** Nothing of an instance that is no node. The clocks are tied as they are for the start: one look at both. */
async function clusterEventsOf(
  factory: QemuFactory,
  { ref, computerName }: Instance,
  start: VmStart,
  { lookAtCluster, signal }: Pick<CollectWhat, 'lookAtCluster' | 'signal'>,
): Promise<Pick<CollectResult, 'members' | 'missed'>> {
  const { cluster } = await factory.pools.readSpec(ref.pool, { signal });
  if (cluster === undefined) return { members: [], missed: [] };
  const { folder } = await factory.guests.placeOf(ref);
  const events = readJoinLog(join(folder, instanceFiles.clusterEvents));
  const missed: MissedItem[] = [];
  // Whoever waited for the node has stopped watching when it was there; its first pod comes later.
  if (lookAtCluster && !events.some(({ event }) => event === 'pod-running')) {
    try {
      const look = { cluster, nodeName: computerName, startedMs: start.startedMs, signal };
      const known = new Set(events.map(({ event, uid }) => `${event} ${uid}`));
      events.push(...(await lookAtCluster(look)).filter(({ event, uid }) => !known.has(`${event} ${uid}`)));
    } catch (error) {
      if (!(error instanceof TransientError || error instanceof UserError)) throw error;
      missed.push({ name: CLUSTER_EVENTS, why: `of the time after that: ${error.message}` });
    }
  }
  if (events.length === 0) return { members: [], missed };
  const { health: _, ...seen } = start;
  const head: ClusterEventsHead = { ...seen, kind: 'ClusterEvents' };
  const lines = [head, ...events].map((line) => `${JSON.stringify(line)}\n`);
  return { members: [{ name: CLUSTER_EVENTS, bytes: Buffer.from(lines.join('')) }], missed };
}

/** The agent gives back 16 MiB at most, and the journal of a boot is text: packed, it is a tenth of that. What was cut off is noticed later. */
async function runShell(factory: QemuFactory, { ref }: Instance, script: string, signal: AbortSignal): Promise<Buffer> {
  const { stdout } = await factory.guests.runInGuest(ref, ['/bin/sh', '-c', '/bin/sh -s | gzip -1 -c'], {
    input: script,
    deadlineMs: DEADLINE_MS,
    signal,
  });
  return stdout.length === 0
    ? stdout
    : gunzipSync(stdout, { maxOutputLength: MAX_BYTES, finishFlush: constants.Z_SYNC_FLUSH });
}

async function vmStartOf(
  factory: QemuFactory,
  { ref, vmId }: Instance,
  bootId: string | undefined,
  signal: AbortSignal,
): Promise<VmStart | undefined> {
  const { folder, startedMs } = await factory.guests.placeOf(ref);
  if (startedMs === undefined) return undefined;
  const clock = await factory.guests.readClock(ref, { signal });
  const uptime = await factory.guests.runInGuest(ref, ['cat', '/proc/uptime'], { deadlineMs: 60_000, signal });
  const uptimeS = Number.parseFloat(uptime.stdout.toString());
  return {
    apiVersion: BOOT_API_VERSION,
    kind: 'VmStart',
    vmId,
    ...(bootId !== undefined && { bootId }),
    startedMs,
    clock: { ...clock, ...(uptimeS >= 0 && { uptimeMs: Math.round(uptimeS * 1000) }) },
    health: readHealth(join(folder, instanceFiles.health)).filter(({ atMs }) => atMs >= startedMs),
  };
}

function bootIdIn({ members }: { members: readonly BundleMember[] }): string | undefined {
  const file = members.find(({ name }) => name === 'proc/sys/kernel/random/boot_id');
  const id = file && Buffer.from(file.bytes).toString().trim().replaceAll('-', '').toLowerCase();
  return id !== undefined && /^[0-9a-f]{32}$/.test(id) ? id : undefined;
}

/** A guest that never reported has no file. */
function readHealth(path: string): VmStart['health'] {
  try {
    return parseHealth(readFileSync(path, 'utf8'));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}
