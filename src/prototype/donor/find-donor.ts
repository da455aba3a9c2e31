// prototype/donor/find-donor.ts: which node is the donor: the named one, or the best of a pool?
import { type Clock, versionOfDay } from '../../base/clock.ts';
import { UserError } from '../../base/errors.ts';
import type { ListedInstance, PoolRef } from '../../vms/pools.ts';
import { readVersions } from '../after/read-versions.ts';
import { readLastRun } from '../last-run.ts';
import { DONOR_TAG, snapshotName } from '../names.ts';
import type { Refusal } from '../run/preflight.ts';
import { readPrior } from '../run/prior.ts';
import type { Site } from '../site.ts';
import { type CandidateRules, objectionsTo, rankCandidates } from './candidates.ts';
import { chooseDonor, type ObservedPool, rulesOf } from './choose-donor.ts';
import { findSitePool } from './find-pool.ts';
import { type PoolMember, pairMembers } from './members.ts';
import { isCaptured, namedNotes, namedRefusals } from './named-donor.ts';
import { type LocatedDonor, locateDonor, outOfService } from './out-of-service.ts';

/** The name of the donor, or of the pool to choose it from. */
export type NamedDonor = { node: string } | { pool: string };

export interface DonorRequest {
  named: NamedDonor;
  mayBeUnpatched: boolean;
  mayBeUnfit?: boolean;
  /** The minimum time for which a donor has been Ready. */
  provenMs: number;
  /** Names under which the machine of this process may be a node: it cannot drain itself. */
  ownNames?: readonly string[];
}

export interface FoundDonor extends LocatedDonor {
  /** Why it was chosen; absent if the operator named it. */
  because?: string;
  /** All members of its pool, if the pool was read to choose it. */
  members?: readonly PoolMember[];
  /** Other donors of the pool that runs left out of service. */
  strays: LocatedDonor[];
  /** A run has left it out of service: it is restored before it is refused. */
  isOut?: boolean;
  /** Why a named donor is not good enough. A chosen one has none. */
  refusals: Refusal[];
  notes: string[];
}

interface SearchDeps {
  clock: Pick<Clock, 'nowMs'>;
  signal: AbortSignal;
}

export async function findDonor(site: Site, request: DonorRequest, deps: SearchDeps): Promise<FoundDonor> {
  const { named } = request;
  if ('node' in named) {
    const { node, ...located } = await locateDonor(site, named.node, deps.signal);
    // Without its Node object, the run can only restore it and finish what it has copied.
    return node ? judgeNamed(site, { ...located, node }, request, deps) : { ...located, ...UNJUDGED };
  }
  const pool = await findSitePool(site, named.pool, deps.signal);
  const seen = await observePool(site, pool, request, deps);
  const { members, instances } = seen;
  const choice = chooseDonor(seen);
  if (!choice) {
    const refusal = noCandidate(pool.name, members, rulesOf(seen));
    const [stray, ...others] = outOfService(members, instances);
    // The run restores the donors that are out of service before it refuses.
    if (stray) return { ...UNJUDGED, ...stray, isOut: true, members, strays: others, refusals: [refusal] };
    throw new UserError(refusal.reason, { ...refusal, kept: 'Nothing was changed.', exitCode: 1 });
  }
  const { node, ref } = choice.donor;
  const strays = outOfService(members, instances).filter((stray) => stray.ref.id !== ref.id);
  return { ...UNJUDGED, name: node.name, node, ref, because: choice.because, members, strays };
}

const UNJUDGED = { strays: [], refusals: [], notes: [] };

/**
 * A donor that a run has copied already is not judged. Of one that a run has taken out of service, only what the run did not
 * cause counts: that it is unfit, or that this process runs on it.
 */
async function judgeNamed(
  site: Site,
  located: Required<LocatedDonor>,
  request: DonorRequest,
  deps: SearchDeps,
): Promise<FoundDonor> {
  const { node, ref } = located;
  const seen = await observePool(site, ref.pool, request, deps);
  const { members } = seen;
  const found = { ...located, ...UNJUDGED, members };
  const instance = members.find((member) => member.node.name === node.name)?.instance;
  if (!instance || isCaptured({ node: node.name, vmId: instance.vmId }, seen)) return found;
  const nodes = members.map((member) => member.node);
  const objections = objectionsTo(node, instance, nodes, rulesOf(seen));
  const isOut = readPrior(node) !== undefined || instance.tags[DONOR_TAG] !== undefined;
  const counting = isOut ? objections.filter(({ kind }) => kind === 'own-node' || kind === 'unfit') : objections;
  return {
    ...found,
    isOut,
    refusals: namedRefusals({ node: node.name, pool: ref.pool.name }, counting, request),
    notes: isOut ? [] : namedNotes(node.name, objections, instance),
  };
}

async function observePool(
  site: Site,
  pool: PoolRef,
  { named: _, ...rules }: DonorRequest,
  { clock, signal }: SearchDeps,
): Promise<ObservedPool<PoolMember> & { instances: readonly ListedInstance[] }> {
  const { provider, cluster } = site;
  const [nodes, instances, snapshot, { versions }, lastRun] = await Promise.all([
    cluster.listNodes(signal),
    provider.pools.listInstances(pool, { signal }),
    provider.snapshots.readSnapshot(snapshotName(pool), { signal }),
    readVersions(site, pool, signal),
    readLastRun(cluster, pool, signal),
  ]);
  const nowMs = clock.nowMs();
  const members = pairMembers(provider.pools, pool, nodes, instances);
  return { ...rules, members, instances, snapshot, versions, today: versionOfDay(nowMs), nowMs, lastRun };
}

function noCandidate(pool: string, members: readonly PoolMember[], rules: CandidateRules): Refusal {
  const reasons = rankCandidates(members, rules).map(({ node, against }) => `${node}: ${against.join(', ')}`);
  return {
    code: 'prototype/no-candidate',
    reason: `no node of ${pool} is suitable as a donor: ${reasons.join('; ') || 'the pool has no nodes'}`,
    next: `headstart prototype candidates --pool ${pool}`,
  };
}
