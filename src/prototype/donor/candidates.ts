// prototype/donor/candidates.ts: which node of the pool is the best donor, and why?
import { formatSpan } from '../../base/duration.ts';
import type { Node } from '../../cluster/cluster.ts';
import type { ListedInstance } from '../../vms/pools.ts';
import { readPrior } from '../run/prior.ts';
import { unpatchedReasons } from './patched.ts';

export interface DonorCandidate {
  node: string;
  /** Reasons against it; empty: it can be the donor. */
  against: string[];
  /** Reasons for it, the strongest first. */
  inFavour: string[];
  readyForMs: number;
}

/** Best first: fewest reasons against it, then longest Ready, then by name. */
export function rankCandidates(
  members: readonly { node: Node; instance: ListedInstance }[],
  nowMs: number,
  provenMs: number = PROVEN_MS,
): DonorCandidate[] {
  const nodes = members.map((member) => member.node);
  return members
    .map(({ node, instance }) => judge(node, instance, nodes, { nowMs, provenMs }))
    .sort(
      (a, b) =>
        a.against.length - b.against.length ||
        b.readyForMs - a.readyForMs ||
        (a.node < b.node ? -1 : a.node > b.node ? 1 : 0),
    );
}

/** A node that became Ready more recently is not proven yet. */
export const PROVEN_MS = 3_600_000;

function judge(
  node: Node,
  instance: ListedInstance,
  nodes: readonly Node[],
  { nowMs, provenMs }: { nowMs: number; provenMs: number },
): DonorCandidate {
  const readyForMs = node.isReady ? nowMs - (node.readySinceMs ?? nowMs) : 0;
  const against = [
    ...(node.isReady ? [] : ['it is not Ready']),
    ...(node.os === 'linux' ? [] : [`it runs ${node.os}`]),
    ...(instance.isSpot ? ['it is a Spot instance'] : []),
    ...(instance.osDisk ? [] : ['it has no managed OS disk']),
    ...(node.isUnschedulable ? ['it is cordoned'] : []),
    ...(readPrior(node) ? ['a run has taken it out of service'] : []),
    ...node.troubles.map((trouble) => `it reports ${trouble}`),
    ...('node-role.kubernetes.io/control-plane' in node.labels ? ['it is a control plane node'] : []),
    ...unpatchedReasons(node, nodes),
    ...(node.isReady && node.readySinceMs !== undefined && readyForMs < provenMs
      ? [`it has been Ready for less than ${formatSpan(provenMs * 1000)}`]
      : []),
  ];
  const inFavour = [
    ...(instance.isOnLatestModel ? ['on the latest model'] : []),
    ...(against.length === 0 ? ['newest kernel and image of the pool, no reboot pending'] : []),
  ];
  return { node: node.name, against, inFavour, readyForMs };
}
