// local/collect-instance.ts: collect the boot of a local VM: files from its guest, the time we started it, and its cluster's events.
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
import type { QemuProvider } from '../vms/qemu/local-provider.ts';
import { parseHealth } from '../vms/qemu/metadata-service/health.ts';
import { callGuest, requireRunning } from './call-guest.ts';
import { collectClaim } from './collect-claim.ts';
import { findLocalInstance } from './find.ts';
import type { ReadClusterEvents } from './read-cluster-events.ts';

export interface CollectInstanceOptions {
  boot: string;
  items: readonly CollectItem[];
  /** Reads events that are not in the instance's log. Default: only the log. */
  readClusterEvents?: ReadClusterEvents;
  signal: AbortSignal;
}

const DEADLINE_MS = 10 * 60_000;
const MAX_BYTES = 512 << 20;

export async function collectInstance(
  provider: QemuProvider,
  name: string,
  { boot, items, readClusterEvents, signal }: CollectInstanceOptions,
): Promise<CollectResult> {
  const instance = requireRunning(await findLocalInstance(provider, name, { signal }));
  const collected = await collectThrough(
    (script) => callGuest(instance, () => runShell(provider, instance, script, signal)),
    {
      from: name,
      items,
    },
  );
  if (boot !== '0') return collected; // an earlier boot may belong to another start of the VM
  const start = await vmStartOf(provider, instance, bootIdIn(collected), signal);
  if (!start)
    return { ...collected, missed: [...collected.missed, { name: VM_START, why: 'the start time was not recorded' }] };
  const bytes = Buffer.from(`${JSON.stringify(start, null, 2)}\n`);
  const claim = await collectClaim(provider, instance, start, signal);
  const seen = await clusterEventsOf(
    provider,
    instance,
    { ...start, startedMs: claim?.claimedMs ?? start.startedMs },
    {
      signal,
      ...(readClusterEvents && { readClusterEvents }),
    },
  );
  return {
    ...collected,
    members: [...collected.members, { name: VM_START, bytes }, ...(claim?.members ?? []), ...seen.members],
    missed: [...collected.missed, ...(claim?.missed ?? []), ...seen.missed],
  };
}

const VM_START = 'headstart/vm.json';
const CLUSTER_EVENTS = 'headstart/cluster-events.jsonl';

/** Empty for an instance that is not a node. Uses the same clock reading as the VM's start. */
async function clusterEventsOf(
  provider: QemuProvider,
  { ref, computerName }: Instance,
  start: VmStart,
  { readClusterEvents, signal }: Pick<CollectInstanceOptions, 'readClusterEvents' | 'signal'>,
): Promise<Pick<CollectResult, 'members' | 'missed'>> {
  const { cluster } = await provider.pools.readSpec(ref.pool, { signal });
  if (cluster === undefined) return { members: [], missed: [] };
  const { folder } = await provider.guests.readDetails(ref);
  // The log of an earlier start stays until a command waits for this one.
  const events = readJoinLog(join(folder, instanceFiles.clusterEvents)).filter(
    ({ atMs, errorMs = 0 }) => atMs + errorMs >= start.startedMs,
  );
  const missed: MissedItem[] = [];
  // The log ends when the node is ready; its first pod runs later.
  if (readClusterEvents && !events.some(({ event }) => event === 'pod-running')) {
    try {
      const look = { cluster, nodeName: computerName, startedMs: start.startedMs, signal };
      const known = new Set(events.map(({ event, uid }) => `${event} ${uid}`));
      events.push(...(await readClusterEvents(look)).filter(({ event, uid }) => !known.has(`${event} ${uid}`)));
    } catch (error) {
      if (!(error instanceof TransientError || error instanceof UserError)) throw error;
      missed.push({ name: CLUSTER_EVENTS, why: `events after the node was ready: ${error.message}` });
    }
  }
  if (events.length === 0) return { members: [], missed };
  const { health: _, ...seen } = start;
  const head: ClusterEventsHead = { ...seen, kind: 'ClusterEvents' };
  const lines = [head, ...events].map((line) => `${JSON.stringify(line)}\n`);
  return { members: [{ name: CLUSTER_EVENTS, bytes: Buffer.from(lines.join('')) }], missed };
}

/** Compressed, because the agent returns at most 16 MiB; a boot's journal shrinks to a tenth. The caller detects truncated output. */
async function runShell(
  provider: QemuProvider,
  { ref }: Instance,
  script: string,
  signal: AbortSignal,
): Promise<Buffer> {
  const { stdout } = await provider.guests.runInGuest(ref, ['/bin/sh', '-c', '/bin/sh -s | gzip -1 -c'], {
    input: script,
    deadlineMs: DEADLINE_MS,
    signal,
  });
  return stdout.length === 0
    ? stdout
    : gunzipSync(stdout, { maxOutputLength: MAX_BYTES, finishFlush: constants.Z_SYNC_FLUSH });
}

async function vmStartOf(
  provider: QemuProvider,
  { ref, vmId }: Instance,
  bootId: string | undefined,
  signal: AbortSignal,
): Promise<VmStart | undefined> {
  const { folder, startedMs } = await provider.guests.readDetails(ref);
  if (startedMs === undefined) return undefined;
  const clock = await provider.guests.readClock(ref, { signal });
  const uptime = await provider.guests.runInGuest(ref, ['cat', '/proc/uptime'], { deadlineMs: 60_000, signal });
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

/** The file does not exist when the guest never reported. */
function readHealth(path: string): VmStart['health'] {
  try {
    return parseHealth(readFileSync(path, 'utf8'));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}
