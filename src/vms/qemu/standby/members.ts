// vms/qemu/standby/members.ts: which standby instances does a pool have, and in what state? Reads take no lock.
import { UserError } from '../../../base/errors.ts';
import type { PoolRef } from '../../pools.ts';
import type { QemuContext } from '../context.ts';
import { poolRecordOf, standbyRecordsOf } from '../home/instance-records.ts';
import { instanceFolder, versionId } from '../home/layout.ts';
import type { PoolRecord } from '../home/records.ts';
import { resolveVersion } from '../home/version-records.ts';
import type { Service } from '../local-provider.ts';
import { machineOf } from '../pools/instances.ts';
import { documentOf } from './document.ts';
import { judgeMember, type PoolFacts } from './judge-member.ts';
import { readParked } from './parked-record.ts';
import type { JudgedMember } from './plan-refill.ts';

/** Packages get security fixes every few days; a parked node does not. */
export const DEFAULT_MAX_AGE_MS = 7 * 24 * 3_600_000;

export interface ReadMember extends JudgedMember {
  state: 'preparing' | 'parked';
  parkedMs?: number;
}

/** Oldest first. */
export async function judgeMembers(context: QemuContext, pool: PoolRef): Promise<ReadMember[]> {
  const { home, machines } = context;
  const facts = factsOf(context, pool);
  return Promise.all(
    standbyRecordsOf(home, pool).map(async (record) => {
      const ref = { pool, id: record.id };
      const parked = readParked(instanceFolder(home, ref));
      const machine = await machines.state(machineOf(home, ref, record));
      const own = { ...facts, document: documentOf(poolRecordOf(home, pool), record) };
      return {
        id: record.id,
        ...record.standby,
        ...judgeMember({ ...record.standby, machine, parked }, own),
        ...(parked && { parkedMs: parked.parkedMs }),
      };
    }),
  );
}

function factsOf(context: QemuContext, ref: PoolRef): Omit<PoolFacts, 'document'> {
  const { home, clock } = context;
  const pool = poolRecordOf(home, ref);
  return {
    image: versionId(resolveVersion(home, pool.spec.image).id),
    modelRevision: pool.modelRevision,
    maxAgeMs: pool.standby?.maxAgeMs ?? DEFAULT_MAX_AGE_MS,
    nowMs: clock.nowMs(),
    apiServer: apiServerOf(context, pool),
  };
}

/** Undefined also for a cluster that was deleted: a claim then says so. */
function apiServerOf({ joinCluster }: QemuContext, { spec }: PoolRecord): Service['to'] | undefined {
  try {
    return spec.cluster === undefined ? undefined : joinCluster?.server(spec.cluster).to;
  } catch (error) {
    if (error instanceof UserError) return undefined;
    throw error;
  }
}
