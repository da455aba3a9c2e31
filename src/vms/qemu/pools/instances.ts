// vms/qemu/pools/instances.ts: which instances does a pool have, and in what state? Reads take no lock: records are replaced atomically.
import { join } from 'node:path';
import { NotFound, Refused } from '../../../base/failures.ts';
import type { Instance, InstanceRef, ParsedProviderId, PoolRef } from '../../pools.ts';
import type { Home, QemuContext } from '../context.ts';
import {
  instanceRecordOf,
  instanceRecordsOf,
  poolRecordOf,
  readInstanceRecord,
  readPoolRecord,
} from '../home/instance-records.ts';
import { diskId, instanceFiles, instanceFolder, parseProviderId, poolRef } from '../home/layout.ts';
import type { InstanceRecord, PoolRecord } from '../home/records.ts';
import type { InstanceDetails } from '../local-provider.ts';
import { KUBELET_PORT, SSH_PORT } from '../machine/command-line.ts';
import type { MachineState } from '../machine/machines.ts';

export async function locate({ home }: Home, providerId: string): Promise<InstanceRef> {
  const ref = parseProviderId(providerId);
  if (!readInstanceRecord(home, ref)) throw new NotFound(`instance ${ref.id} of pool ${ref.pool.name}`);
  return ref;
}

export function parsedProviderId(_: Home, providerId: string): ParsedProviderId | undefined {
  try {
    const { id, pool } = parseProviderId(providerId);
    return { instanceId: id, poolId: pool.id };
  } catch (error) {
    if (error instanceof Refused) return undefined;
    throw error;
  }
}

export async function locateAll(home: Home, providerIds: readonly string[]): Promise<Map<string, InstanceRef>> {
  const found = new Map<string, InstanceRef>();
  for (const id of providerIds) {
    try {
      found.set(id, await locate(home, id));
    } catch (error) {
      if (!(error instanceof Refused) && !(error instanceof NotFound)) throw error;
    }
  }
  return found;
}

export async function readInstance(context: QemuContext, ref: InstanceRef): Promise<Instance | undefined> {
  const pool = readPoolRecord(context.home, ref.pool);
  const record = readInstanceRecord(context.home, ref);
  return pool && record && toInstance(context, pool, record);
}

export async function listInstances(context: QemuContext, ref: PoolRef): Promise<Instance[]> {
  const pool = poolRecordOf(context.home, ref);
  return Promise.all(instanceRecordsOf(context.home, ref).map((record) => toInstance(context, pool, record)));
}

export async function readDetails({ home, machines }: QemuContext, ref: InstanceRef): Promise<InstanceDetails> {
  const record = instanceRecordOf(home, ref);
  const { address, startedMs } = record;
  const ports = await machines.forwardedPorts(machineOf(home, ref, record));
  const [sshPort, kubeletPort] = [ports.get(SSH_PORT), ports.get(KUBELET_PORT)];
  const folder = instanceFolder(home, ref);
  return {
    folder,
    consoleLog: join(folder, instanceFiles.console),
    disk: join(folder, instanceFiles.disk),
    address,
    ...(startedMs !== undefined && { startedMs }),
    ...(sshPort !== undefined && { sshPort }),
    ...(kubeletPort !== undefined && { kubeletPort }),
  };
}

export function machineOf(home: string, ref: InstanceRef, { vmId }: Pick<InstanceRecord, 'vmId'>) {
  return { folder: instanceFolder(home, ref), vmId };
}

async function toInstance(context: QemuContext, pool: PoolRecord, record: InstanceRecord): Promise<Instance> {
  const ref = { pool: poolRef(pool.spec.name), id: record.id };
  return {
    ref,
    computerName: record.id,
    vmId: record.vmId,
    power: powerOf(await context.machines.state(machineOf(context.home, ref, record)), record),
    protection: record.protection,
    isOnLatestModel: record.modelRevision === pool.modelRevision,
    image: record.image,
    osDisk: { id: diskId(ref), sizeGb: record.size.diskGb },
    isSpot: false,
    tags: record.tags,
  };
}

function powerOf(state: MachineState, { wanted }: InstanceRecord): Instance['power'] {
  if (state === 'off') return wanted === 'deallocated' ? 'deallocated' : 'stopped';
  return state === 'full' || state === 'paused' ? 'unknown' : state;
}
