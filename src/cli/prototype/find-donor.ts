// cli/prototype/find-donor.ts: the donor that --node names, or the one that is chosen from --pool.
import { versionOfDay } from '../../base/clock.ts';
import { UserError } from '../../base/errors.ts';
import type { Node } from '../../cluster/cluster.ts';
import { rankCandidates } from '../../prototype/donor/candidates.ts';
import { chooseDonor } from '../../prototype/donor/choose-donor.ts';
import { definitionName, snapshotName } from '../../prototype/names.ts';
import type { InstanceRef } from '../../vms/pools.ts';
import type { Edges } from '../verb.ts';
import { type Connected, locateNode, poolMembers } from './connect.ts';
import { allowances } from './donor.ts';
import type { RunOptions } from './run-options.ts';

export interface FoundDonor {
  node: Node;
  ref: InstanceRef;
  /** Why it was chosen; absent when it was named. */
  because?: string;
  /** Donors of the same pool that runs have left out of service. */
  strays: { node: Node; ref: InstanceRef }[];
}

/** A mistake in the options is told before anything is asked. */
export function requireDonorNamed({ node, pool, cluster }: RunOptions): void {
  // Without a cluster a node's name does not tell its pool.
  const isExclusive = cluster !== false;
  if (node !== undefined && pool !== undefined && isExclusive) {
    throw new UserError('--node names the donor and --pool chooses one: both at once make no sense', {
      code: 'prototype/two-donors',
      kept: 'Nothing was touched.',
      next: 'leave one of them out',
    });
  }
  if (node !== undefined || pool !== undefined) return;
  throw new UserError('no donor is named', {
    code: 'prototype/no-donor-named',
    kept: 'Nothing was touched.',
    next: 'name it with --node, or let --pool choose the best of a pool',
  });
}

export async function findDonor(world: Connected, options: RunOptions, edges: Edges): Promise<FoundDonor> {
  const signal = edges.signal();
  if (options.node !== undefined) return { ...(await locateNode(world, options.node, signal)), strays: [] };
  const { factory, gallery } = world;
  const { pool, members } = await poolMembers(world, options.pool!, signal);
  const [snapshot, definition] = await Promise.all([
    factory.snapshots.readSnapshot(snapshotName(pool.name), { signal }),
    factory.gallery.readDefinition(gallery, definitionName(pool.name), { signal }),
  ]);
  const nowMs = edges.nowUs() / 1000;
  const choice = chooseDonor({
    members,
    snapshot,
    versions: definition ? await factory.gallery.listVersions(definition, { signal }) : [],
    today: versionOfDay(nowMs),
    nowMs,
    mayBeUnpatched: allowances(options).mayBeUnpatched,
    provenMs: options.readyFor,
  });
  if (choice) {
    const asFound = ({ node, instance }: (typeof members)[number]) => ({ node, ref: instance.ref });
    return { ...asFound(choice.donor), because: choice.because, strays: choice.strays.map(asFound) };
  }
  const reasons = rankCandidates(members, nowMs, options.readyFor).map(
    ({ node, against }) => `${node}: ${against.join(', ')}`,
  );
  throw new UserError(`no node of ${pool.name} would do as a donor: ${reasons.join('; ') || 'it has none'}`, {
    code: 'prototype/no-candidate',
    kept: 'Nothing was changed.',
    next: `headstart prototype candidates --pool ${pool.name}`,
    exitCode: 1,
  });
}
