// prototype/donor/find-donor.ts: which node is the donor: the named one, or the best of a pool?
import { type Clock, versionOfDay } from '../../base/clock.ts';
import { UserError } from '../../base/errors.ts';
import type { PoolRef } from '../../vms/pools.ts';
import { readVersions } from '../after/read-versions.ts';
import { DONOR_TAG, snapshotName } from '../names.ts';
import type { Refusal } from '../run/preflight.ts';
import { readPrior } from '../run/prior.ts';
import type { Site } from '../site.ts';
import { type CandidateRules, objectionsTo, rankCandidates } from './candidates.ts';
import { chooseDonor, type ObservedPool, rulesOf } from './choose-donor.ts';
import { findSitePool } from './find-pool.ts';
import { type LocatedNode, locateNode } from './locate-nodes.ts';
import { type PoolMember, readMembers } from './members.ts';
import { isCaptured, namedNotes, namedRefusals } from './named-donor.ts';

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

export interface FoundDonor extends LocatedNode {
  /** Why it was chosen; absent if the operator named it. */
  because?: string;
  /** All members of its pool, if the pool was read to choose it. */
  members?: readonly PoolMember[];
  /** Other donors of the pool that runs left out of service. */
  strays: LocatedNode[];
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
  if ('node' in named) return judgeNamed(site, await locateNode(site, named.node, deps.signal), request, deps);
  const pool = await findSitePool(site, named.pool, deps.signal);
  const seen = await observePool(site, pool, request, deps);
  const { members } = seen;
  const choice = chooseDonor(seen);
  if (!choice) throw noCandidate(pool.name, members, rulesOf(seen));
  const { donor, because, strays } = choice;
  return { node: donor.node, ref: donor.ref, because, members, strays, refusals: [], notes: [] };
}

/**
 * A donor that a run has taken out of service, or has copied already, is not judged: its state comes from the run. Only
 * the node that this process runs on cannot be drained in any case.
 */
async function judgeNamed(
  site: Site,
  located: LocatedNode,
  request: DonorRequest,
  deps: SearchDeps,
): Promise<FoundDonor> {
  const { node, ref } = located;
  const seen = await observePool(site, ref.pool, request, deps);
  const { members } = seen;
  const found = { ...located, members, strays: [], refusals: [], notes: [] };
  const instance = members.find((member) => member.node.name === node.name)?.instance;
  if (!instance || isCaptured({ node: node.name, vmId: instance.vmId }, seen)) return found;
  const nodes = members.map((member) => member.node);
  const objections = objectionsTo(node, instance, nodes, rulesOf(seen));
  const isOut = readPrior(node) !== undefined || instance.tags[DONOR_TAG] !== undefined;
  const counting = isOut ? objections.filter(({ kind }) => kind === 'own-node') : objections;
  return {
    ...found,
    refusals: namedRefusals({ node: node.name, pool: ref.pool.name }, counting, request),
    notes: isOut ? [] : namedNotes(node.name, objections, instance),
  };
}

async function observePool(
  site: Site,
  pool: PoolRef,
  { named: _, ...rules }: DonorRequest,
  { clock, signal }: SearchDeps,
): Promise<ObservedPool<PoolMember>> {
  const { provider } = site;
  const [members, snapshot, { versions }] = await Promise.all([
    readMembers(site, pool, signal),
    provider.snapshots.readSnapshot(snapshotName(pool.name), { signal }),
    readVersions(site, pool, signal),
  ]);
  const nowMs = clock.nowMs();
  return { ...rules, members, snapshot, versions, today: versionOfDay(nowMs), nowMs };
}

function noCandidate(pool: string, members: readonly PoolMember[], rules: CandidateRules): UserError {
  const reasons = rankCandidates(members, rules).map(({ node, against }) => `${node}: ${against.join(', ')}`);
  return new UserError(`no node of ${pool} is suitable as a donor: ${reasons.join('; ') || 'the pool has no nodes'}`, {
    code: 'prototype/no-candidate',
    kept: 'Nothing was changed.',
    next: `headstart prototype candidates --pool ${pool}`,
    exitCode: 1,
  });
}
