// prototype/donor/choose-donor.ts: which node is the donor if none is named? That of an unfinished run, otherwise the best candidate.
import type { Node } from '../../cluster/cluster.ts';
import type { Version } from '../../vms/gallery.ts';
import type { ListedInstance } from '../../vms/pools.ts';
import type { Snapshot } from '../../vms/snapshots.ts';
import type { LastRun } from '../last-run.ts';
import { DONOR_TAG, TAGS } from '../names.ts';
import { readPrior } from '../run/prior.ts';
import { isSameMachine } from '../run/same-machine.ts';
import { isLeftover } from '../run/scene.ts';
import { badVersions, type CandidateRules, objectionsTo, rankCandidates } from './candidates.ts';
import { isAccepted, isCaptured } from './named-donor.ts';

export interface CandidateMember {
  node: Node;
  instance: ListedInstance;
}

export interface DonorChoice<M extends CandidateMember> {
  donor: M;
  because: string;
  /** Other donors that runs left out of service; they are restored before a run begins. */
  strays: M[];
}

export interface ObservedPool<M extends CandidateMember> {
  members: readonly M[];
  snapshot: Snapshot | undefined;
  versions: readonly Version[];
  /** The version that a run would make if it began now. */
  today: string;
  nowMs: number;
  mayBeUnpatched: boolean;
  mayBeUnfit?: boolean;
  /** The minimum time for which a donor has been Ready. */
  provenMs: number;
  /** Names under which the machine of this process may be a node. */
  ownNames?: readonly string[];
  lastRun?: LastRun | undefined;
}

/** undefined: no node is suitable; `rankCandidates` has the reasons. */
export function chooseDonor<M extends CandidateMember>(seen: ObservedPool<M>): DonorChoice<M> | undefined {
  const strays = seen.members.filter(isOut);
  const found = unfinished(seen, strays) ?? best(seen, strays);
  return found && { ...found, strays: strays.filter((stray) => stray !== found.donor) };
}

function isOut({ node, instance }: CandidateMember): boolean {
  return readPrior(node) !== undefined || instance.tags[DONOR_TAG] !== undefined;
}

type ChosenDonor<M extends CandidateMember> = Omit<DonorChoice<M>, 'strays'>;

/** With an unfinished run a second donor would be refused, and the first would stay out of service. */
function unfinished<M extends CandidateMember>(
  seen: ObservedPool<M>,
  strays: readonly M[],
): ChosenDonor<M> | undefined {
  const { members, snapshot, versions, today } = seen;
  const usable = members.filter((member) => !isOwnNode(member, seen) || isCapturedIn(member, seen));
  // A machine that replaced the donor under its name is another one.
  const donorOf = (tags: Readonly<Record<string, string>>) =>
    usable.find(({ node, instance: { vmId } }) => {
      return node.name === tags[TAGS.donor] && isSameMachine(tags[TAGS.donorVmId] ?? vmId, vmId);
    });
  const copied = snapshot && !isLeftover(snapshot, versions, { today }) ? donorOf(snapshot.tags) : undefined;
  if (copied) return { donor: copied, because: 'an earlier run has copied its disk and is not finished' };
  const stray = strays
    .filter((one) => usable.includes(one) && !isUnfit(one, seen))
    .toSorted((a, b) => (a.node.name < b.node.name ? -1 : 1))[0];
  if (stray) return { donor: stray, because: 'an earlier run has left it out of service' };
  const made = versions.find(({ name, state }) => name === today && state !== 'failed');
  const donor = made && donorOf(made.tags);
  return donor && { donor, because: `version ${today} was made from it` };
}

function best<M extends CandidateMember>(seen: ObservedPool<M>, strays: readonly M[]): ChosenDonor<M> | undefined {
  for (const candidate of rankCandidates(seen.members, rulesOf(seen))) {
    const donor = seen.members.find(({ node }) => node.name === candidate.node)!;
    if (strays.includes(donor) || !candidate.objections.every((objection) => isAccepted(objection, seen))) continue;
    return { donor, because: ['the best candidate', ...candidate.inFavour].join(', ') };
  }
  return undefined;
}

/** The rules by which the nodes of this pool are judged. */
export function rulesOf(
  seen: Pick<ObservedPool<CandidateMember>, 'versions' | 'nowMs' | 'provenMs' | 'ownNames' | 'lastRun'>,
): CandidateRules {
  const { versions, nowMs, provenMs, ownNames = [], lastRun } = seen;
  return { nowMs, provenMs, ownNames, badVersions: badVersions(versions), lastRun };
}

function isOwnNode({ node, instance }: CandidateMember, seen: ObservedPool<CandidateMember>): boolean {
  return objectionsTo(node, instance, [], rulesOf(seen)).some(({ kind }) => kind === 'own-node');
}

/** What the run that took it out of service did not cause: pressure, or a version that was rolled back since. */
function isUnfit({ node, instance }: CandidateMember, seen: ObservedPool<CandidateMember>): boolean {
  const unfit = objectionsTo(node, instance, [], rulesOf(seen)).filter(({ kind }) => kind === 'unfit');
  return unfit.some((objection) => !isAccepted(objection, seen));
}

function isCapturedIn({ node, instance }: CandidateMember, seen: ObservedPool<CandidateMember>): boolean {
  return isCaptured({ node: node.name, vmId: instance.vmId }, seen);
}
