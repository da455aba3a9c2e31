// local/autoscaler/node-group.ts: a pool as a node group: answers from the pool as it is, and makes requested nodes in the background. A
// request is a tag of the pool until the pool has that size, so another process continues where a killed one stopped.
import { NoCapacity, NotFound, QuotaExceeded } from '../../base/failures.ts';
import type { Instance, PoolRef } from '../../vms/pools.ts';
import type { QemuProvider } from '../../vms/qemu/local-provider.ts';
import type { Claim } from '../../vms/standby.ts';
import { openBringUp } from './bring-up.ts';
import {
  type GroupFacts,
  type GroupLimits,
  planDecrease,
  planDeletion,
  planIncrease,
  targetSize,
} from './plan-sizes.ts';

/** On a pool whose requested nodes do not all exist yet. */
export const TARGET_TAG = 'headstart-target-size';

export interface GroupNode {
  /** Of an instance, or of a requested one that does not exist yet. */
  id: string;
  /** Of an instance: the name of its Node, which may not have registered yet. */
  nodeName?: string;
  state: 'creating' | 'running' | 'deleting' | 'unknown';
  failure?: { code: string; message: string; isOutOfResources: boolean };
}

export interface NodeGroup extends GroupLimits {
  pool: PoolRef;
  targetSize(): Promise<number>;
  nodes(): Promise<GroupNode[]>;
  has(id: string): Promise<boolean>;
  /** Returns when the new size is recorded. */
  increase(delta: number): Promise<void>;
  decrease(delta: number): Promise<void>;
  /** Returns when they are gone. Succeeds for nodes that do not exist. */
  deleteNodes(ids: readonly string[]): Promise<void>;
  /** Continues to make requested nodes; resolves when none is left or each has failed. */
  settle(): Promise<void>;
  /** Resolves when nothing runs in the background; nodes are waited for until they are up or the signal is aborted. */
  ended(): Promise<void>;
}

export interface NodeGroupDeps {
  provider: Pick<QemuProvider, 'pools' | 'standby' | 'guests'>;
  /** Sentences about what happens in the background. */
  report(what: string): void;
  /** Once aborted, no more nodes are made or waited for. */
  signal: AbortSignal;
  /** In ids of requested nodes, so that a later process does not use them again. */
  mark: string;
}

interface NodeRequest {
  id: string;
  failure?: GroupNode['failure'];
}

export function openNodeGroup(
  { pool: ref, min, max }: GroupLimits & { pool: PoolRef },
  { provider, report, signal, mark }: NodeGroupDeps,
): NodeGroup {
  const { pools, standby, guests } = provider;
  const ups = openBringUp({ guests, report, signal });
  let pending: NodeRequest[] = [];
  let serial = 0;
  const deleting = new Map<string, Promise<void>>();
  let making: { before: ReadonlySet<string>; count: number } | undefined;
  let growing: Promise<void> | undefined;
  /** Why an unfinished node could not be continued; reported once. */
  let trouble: string | undefined;
  let turn: Promise<unknown> = Promise.resolve();

  /** One change at a time, each from what the one before it left. */
  function inTurn<T>(work: () => Promise<T>): Promise<T> {
    const mine = turn.then(work, work);
    turn = mine.catch(() => undefined);
    return mine;
  }

  async function look(): Promise<GroupFacts & { listed: Instance[]; recorded: string | undefined }> {
    const [pool, listed] = await Promise.all([pools.readPool(ref), pools.listInstances(ref)]);
    if (!pool) throw new NotFound(`pool ${ref.name}`);
    const present = listed.filter(({ ref: { id } }) => !deleting.has(id));
    const recorded = pool.tags[TARGET_TAG];
    const requested = Number(recorded);
    const facts = {
      ...{ min, max, listed, recorded },
      instances: present.map(({ ref: { id }, protection }) => ({ id, isProtected: protection.fromScaleIn })),
      ...(Number.isInteger(requested) && { requested }),
    };
    const unseen = making ? making.count - listed.filter(({ ref: { id } }) => !making?.before.has(id)).length : 0;
    syncPending(targetSize({ ...facts, unseen: 0, pending: [] }) - present.length);
    return { ...facts, unseen: Math.max(0, unseen), pending: pending.map(({ id }) => id) };
  }

  /** The oldest that has not failed is the one that exists now. */
  function syncPending(count: number): void {
    while (pending.length > count) {
      const at = pending.findIndex(({ failure }) => !failure);
      pending.splice(Math.max(0, at), 1);
    }
    while (pending.length < count) pending.push({ id: `${ref.name}-requested-${mark}-${++serial}` });
  }

  async function record(target: number, { recorded, instances }: Awaited<ReturnType<typeof look>>): Promise<void> {
    const tag = target > instances.length ? String(target) : null;
    if (tag !== (recorded ?? null)) await pools.tagPool(ref, { [TARGET_TAG]: tag });
  }

  function grow(): Promise<void> {
    growing ??= makeRequested().finally(() => {
      growing = undefined;
    });
    return growing;
  }

  async function makeRequested(): Promise<void> {
    if (!signal.aborted) await continueUnfinished();
    while (!signal.aborted) {
      const requests = await takeOpen(await readyCount());
      if (requests.length === 0) return;
      try {
        bringUp(await standby.claim(ref, requests.length, { signal }));
      } catch (error) {
        if (signal.aborted) return;
        const failure = failureOf(error);
        report(`a node of ${ref.name} could not be made: ${failure.message}`);
        for (const one of requests) one.failure = failure;
      } finally {
        making = undefined;
      }
    }
  }

  const openRequests = () => pending.filter(({ failure }) => !failure);

  async function readyCount(): Promise<number> {
    await look();
    if (openRequests().length === 0) return 0;
    const { members = [] } = (await standby.readStandby(ref)) ?? {};
    return members.filter(({ state }) => state === 'ready').length;
  }

  /**
   * From then on it is too late to take them back. Parked nodes continue together. Cold ones are made one by one, so that other commands get
   * the pool's lock between them.
   */
  function takeOpen(ready: number): Promise<NodeRequest[]> {
    return inTurn(async () => {
      const group = await look();
      const requests = openRequests().slice(0, Math.max(1, ready));
      if (requests.length === 0) await record(targetSize(group), group);
      else making = { before: new Set(group.listed.map(({ ref: { id } }) => id)), count: requests.length };
      return requests;
    });
  }

  /** What a killed server, another command, or we took and did not finish, for example because the API server was away. */
  async function continueUnfinished(): Promise<void> {
    try {
      const { claims, failure } = await standby.continueUnfinished(ref, { signal });
      bringUp(claims);
      const now = failure === undefined ? undefined : messageOf(failure);
      if (now !== undefined && now !== trouble) report(`a node of ${ref.name} could not be continued: ${now}`);
      trouble = now;
    } catch (error) {
      if (!signal.aborted) throw error;
    }
  }

  function bringUp(claims: readonly Claim[]): void {
    for (const { instance, from, why } of claims) {
      report(`${instance.computerName} was ${from}${why === undefined ? '' : `: ${why}`}`);
      if (!deleting.has(instance.ref.id)) ups.start(instance);
    }
  }

  async function change(plan: (group: GroupFacts) => number, what: (target: number) => string): Promise<void> {
    await inTurn(async () => {
      const group = await look();
      const target = plan(group);
      await record(target, group);
      pending = pending.slice(0, Math.max(0, target - group.instances.length));
      report(what(target));
    });
    background();
  }

  function background(): void {
    // What fails is reported for the nodes; the rest, such as a pool that was deleted, with the next question.
    grow().catch((error: unknown) => report(`${ref.name}: ${messageOf(error)}`));
  }

  return {
    ...{ pool: ref, min, max },
    targetSize: async () => targetSize(await look()),
    settle: grow,
    ended: () => grow().finally(ups.ended),

    async nodes() {
      const { listed } = await look();
      return [
        ...listed.map(
          ({ ref: { id }, computerName, power }): GroupNode => ({
            ...{ id, nodeName: computerName },
            state: deleting.has(id) ? 'deleting' : STATES[power],
          }),
        ),
        ...pending.map(({ id, failure }) => ({ id, state: 'creating' as const, ...(failure && { failure }) })),
      ];
    },

    async has(id) {
      const { listed } = await look();
      return listed.some(({ ref }) => ref.id === id) || pending.some((one) => one.id === id);
    },

    increase: (delta) =>
      change(
        (group) => planIncrease(group, delta),
        (target) => `${ref.name}: ${delta} more requested, ${target} in all`,
      ),

    decrease: (delta) =>
      change(
        (group) => planDecrease(group, delta),
        (target) => `${ref.name}: ${-delta} taken back, ${target} in all`,
      ),

    async deleteNodes(ids) {
      const removals = await inTurn(async () => {
        const group = await look();
        const plan = planDeletion(group, ids);
        const stay = group.instances.filter(({ id }) => !plan.instances.includes(id));
        // Before the deletion: killed between them, we ask for too few, and the autoscaler asks again.
        await record(plan.target, { ...group, instances: stay });
        pending = pending.filter(({ id }) => !plan.pending.includes(id));
        for (const id of plan.instances) deleting.set(id, remove(id));
        return ids.map((id) => deleting.get(id)); // also those of a call before
      });
      background();
      await Promise.all(removals);
    },
  };

  function remove(id: string): Promise<void> {
    report(`deleting ${id}`);
    ups.leave(id);
    const removal = pools.deleteInstance({ pool: ref, id }).finally(() => deleting.delete(id));
    removal.catch((error: unknown) => report(`${id} could not be deleted: ${messageOf(error)}`));
    return removal;
  }
}

const STATES: Readonly<Record<Instance['power'], GroupNode['state']>> = {
  running: 'running',
  starting: 'creating',
  stopping: 'running',
  stopped: 'unknown',
  deallocated: 'unknown',
  unknown: 'unknown',
};

/** The autoscaler tries another group for as long as this one is out of resources. */
const OUT_OF_RESOURCES = new Set(['vms/no-address', 'vms/no-space']);

function failureOf(error: unknown): NonNullable<GroupNode['failure']> {
  const code = error instanceof Error && 'code' in error ? String(error.code) : 'bug';
  const isOutOfResources = error instanceof NoCapacity || error instanceof QuotaExceeded || OUT_OF_RESOURCES.has(code);
  return { code, message: messageOf(error), isOutOfResources };
}

const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error));
