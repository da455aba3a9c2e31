// prototype/donor/candidates.ts: which node of the pool is the best donor, and why?
import { formatSpan } from '../../base/duration.ts';
import type { Node } from '../../cluster/cluster.ts';
import type { Version } from '../../vms/gallery.ts';
import type { ListedInstance } from '../../vms/pools.ts';
import { badReason } from '../bad-version.ts';
import type { LastRun } from '../last-run.ts';
import { readPrior } from '../run/prior.ts';
import { unpatchedReasons } from './patched.ts';

/** The most serious first. */
export const OBJECTION_KINDS = [
  /** It cannot be a donor at all. */
  'impossible',
  /** The run itself runs on it, and would be evicted by its own drain. */
  'own-node',
  /** Its clones would probably be bad nodes. */
  'unfit',
  'unpatched',
  'cordoned',
  /** It has not been Ready for long enough. */
  'unproven',
] as const;

export interface Objection {
  kind: (typeof OBJECTION_KINDS)[number];
  reason: string;
}

export interface DonorCandidate {
  node: string;
  /** Reasons against it; empty: it can be the donor. */
  against: string[];
  /** Reasons for it, the strongest first. */
  inFavour: string[];
  readyForMs: number;
}

export interface RankedCandidate extends DonorCandidate {
  /** The same reasons as in `against`, with their kinds. */
  objections: Objection[];
}

export interface CandidateRules {
  nowMs: number;
  /** The minimum time for which a donor has been Ready. */
  provenMs: number;
  /** Names under which the machine of this process may be a node. */
  ownNames?: readonly string[];
  /** Versions that are marked bad: id in lower case → why. */
  badVersions?: ReadonlyMap<string, string>;
  /** The last run: a donor that it restarted is not unproven for that. */
  lastRun?: LastRun | undefined;
}

/** A node that became Ready more recently is not proven yet. */
export const PROVEN_MS = 3_600_000;

/** Best first: the least serious reasons against it, then longest Ready, then by name. */
export function rankCandidates(
  members: readonly { node: Node; instance: ListedInstance }[],
  rules: CandidateRules,
): RankedCandidate[] {
  const nodes = members.map((member) => member.node);
  return members
    .map(({ node, instance }) => judge(node, instance, nodes, rules))
    .sort(
      (a, b) =>
        compareObjections(a.objections, b.objections) ||
        b.readyForMs - a.readyForMs ||
        (a.node < b.node ? -1 : a.node > b.node ? 1 : 0),
    );
}

/** One serious reason weighs more than any number of lesser ones. */
export function compareObjections(a: readonly Objection[], b: readonly Objection[]): number {
  for (const kind of OBJECTION_KINDS) {
    const difference = countOf(kind, a) - countOf(kind, b);
    if (difference !== 0) return difference;
  }
  return 0;
}

function countOf(kind: Objection['kind'], objections: readonly Objection[]): number {
  return objections.filter((objection) => objection.kind === kind).length;
}

function judge(node: Node, instance: ListedInstance, nodes: readonly Node[], rules: CandidateRules): RankedCandidate {
  const objections = objectionsTo(node, instance, nodes, rules);
  const inFavour = [
    ...(instance.isOnLatestModel ? ['on the latest model'] : []),
    ...(objections.length === 0 ? ['newest kernel and image of the pool, no reboot pending'] : []),
  ];
  const against = objections.map(({ reason }) => reason);
  return { node: node.name, against, inFavour, readyForMs: readyForMs(node, rules.nowMs), objections };
}

/** Everything that speaks against this node, in a pool of these nodes. */
export function objectionsTo(
  node: Node,
  instance: ListedInstance,
  nodes: readonly Node[],
  { nowMs, provenMs, ownNames = [], badVersions = new Map(), lastRun }: CandidateRules,
): Objection[] {
  const found: Objection[] = [];
  const object = (kind: Objection['kind'], reason: string) => found.push({ kind, reason });
  if (!node.isReady) object('impossible', 'it is not Ready');
  if (node.os !== 'linux') object('impossible', `it runs ${node.os}`);
  if (instance.isSpot) object('impossible', 'it is a Spot instance');
  if (!instance.osDisk) object('impossible', 'it has no managed OS disk');
  if (node.isUnschedulable) object('cordoned', 'it is cordoned');
  if (readPrior(node)) object('impossible', 'a run has taken it out of service');
  if (isOwnNode(node.name, ownNames)) object('own-node', 'this command runs on it, and a drain would end the command');
  for (const trouble of node.troubles) object('unfit', `it reports ${trouble}`);
  if (CONTROL_PLANE.some((label) => label in node.labels)) object('unfit', 'it is a control plane node');
  const { image } = instance;
  const bad = image?.kind === 'version' ? badVersions.get(image.id.toLowerCase()) : undefined;
  if (image?.kind === 'version' && bad !== undefined)
    object('unfit', `it was made from version ${image.id.split('/').at(-1)}, which is marked bad (${bad})`);
  for (const reason of unpatchedReasons(node, nodes)) object('unpatched', reason);
  const isRecent = node.isReady && node.readySinceMs !== undefined && readyForMs(node, nowMs) < provenMs;
  if (isRecent && !isRestartedBy(lastRun, node))
    object('unproven', `it has been Ready for less than ${formatSpan(provenMs * 1000)}`);
  return found;
}

/** Whether the node is Ready only since the last run restarted it. The same command then continues at once. */
function isRestartedBy(lastRun: LastRun | undefined, { name, readySinceMs = 0 }: Node): boolean {
  return lastRun?.hasRestarted === true && lastRun.node === name && readySinceMs <= Date.parse(lastRun.endedAt);
}

/** The second one is from before Kubernetes 1.20. */
const CONTROL_PLANE = ['node-role.kubernetes.io/control-plane', 'node-role.kubernetes.io/master'];

function readyForMs({ isReady, readySinceMs }: Node, nowMs: number): number {
  return isReady ? Math.max(0, nowMs - (readySinceMs ?? nowMs)) : 0; // the clocks may differ
}

/** A host's own name may be the first part of its node's name. */
function isOwnNode(node: string, ownNames: readonly string[]): boolean {
  const name = node.toLowerCase();
  return ownNames
    .map((own) => own.toLowerCase())
    .some((own) => own !== '' && (own === name || name.startsWith(`${own}.`)));
}

/** Versions that a rollback marked, for `CandidateRules`: id in lower case → why. */
export function badVersions(versions: readonly Version[]): Map<string, string> {
  const marked = versions.map((version) => [version.id.toLowerCase(), badReason(version)] as const);
  return new Map(marked.filter((one): one is [string, string] => one[1] !== undefined));
}
