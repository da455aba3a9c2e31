// prototype/donor/find-donor.ts: which node is the donor: the named one, or the best of a pool?
import { type Clock, versionOfDay } from '../../base/clock.ts';
import { UserError } from '../../base/errors.ts';
import { isOfOtherPool, prototypeDefinitionName, snapshotName } from '../names.ts';
import type { Site } from '../site.ts';
import { rankCandidates } from './candidates.ts';
import { chooseDonor } from './choose-donor.ts';
import { findSitePool } from './find-pool.ts';
import { type LocatedNode, locateNode } from './locate-nodes.ts';
import { type PoolMember, readMembers } from './members.ts';

/** The name of the donor, or of the pool to choose it from. */
export type NamedDonor = { node: string } | { pool: string };

export interface DonorRequest {
  named: NamedDonor;
  mayBeUnpatched: boolean;
  /** The minimum time for which a chosen donor has been Ready. */
  provenMs: number;
}

export interface FoundDonor extends LocatedNode {
  /** Why it was chosen; absent if the operator named it. */
  because?: string;
  /** All members of its pool, if the pool was read to choose it. */
  members?: readonly PoolMember[];
  /** Other donors of the pool that runs left out of service. */
  strays: LocatedNode[];
}

export async function findDonor(
  site: Site,
  { named, mayBeUnpatched, provenMs }: DonorRequest,
  { clock, signal }: { clock: Pick<Clock, 'nowMs'>; signal: AbortSignal },
): Promise<FoundDonor> {
  if ('node' in named) return { ...(await locateNode(site, named.node, signal)), strays: [] };
  const { provider, gallery } = site;
  const pool = await findSitePool(site, named.pool, signal);
  const members = await readMembers(site, pool, signal);
  const [snapshot, definition] = await Promise.all([
    provider.snapshots.readSnapshot(snapshotName(pool), { signal }),
    provider.gallery.readDefinition(gallery, prototypeDefinitionName(pool), { signal }),
  ]);
  const nowMs = clock.nowMs();
  const choice = chooseDonor({
    members,
    snapshot,
    versions: definition
      ? (await provider.gallery.listVersions(definition, { signal })).filter(({ tags }) => !isOfOtherPool(tags, pool))
      : [],
    today: versionOfDay(nowMs),
    nowMs,
    mayBeUnpatched,
    provenMs,
  });
  if (!choice) throw noCandidate(pool.name, members, { nowMs, provenMs });
  const { donor, because, strays } = choice;
  return { node: donor.node, ref: donor.ref, because, members, strays };
}

function noCandidate(
  pool: string,
  members: readonly PoolMember[],
  { nowMs, provenMs }: { nowMs: number; provenMs: number },
): UserError {
  const reasons = rankCandidates(members, nowMs, provenMs).map(({ node, against }) => `${node}: ${against.join(', ')}`);
  return new UserError(`no node of ${pool} is suitable as a donor: ${reasons.join('; ') || 'the pool has no nodes'}`, {
    code: 'prototype/no-candidate',
    kept: 'Nothing was changed.',
    next: `headstart prototype candidates --pool ${pool}`,
    exitCode: 1,
  });
}
